// Text utilities: locale-independent character classes, integers, lines and words, quoting for a shell and
// for TOML, C++ names, wrapping, and suggestions for misspelled words.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace foldproof {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Whether `c` may begin an identifier.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// Whether `c` may continue an identifier.
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// The integer that all of `text` spells in that base; nothing if T cannot hold it.
template <typename T>
std::optional<T> integer_in(std::string_view text, int base = 10) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Removes the first line from `text` and returns it without its line break.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// The parts between the commas outside brackets, which any character of `opening` opens and any of `closing`
/// closes.
std::vector<std::string_view> split_list(std::string_view list, std::string_view opening,
                                         std::string_view closing);

/// All lines, without their line breaks.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.emplace_back(take_line(text));
  return lines;
}

/// Without the blanks around it.
constexpr std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Splits a command line into words as a POSIX shell does, without expansion.
std::vector<std::string> split_command(std::string_view command);

/// `text` as one word of a shell command line, quoted if necessary.
std::string shell_word(const std::string& text);

/// `text` as a TOML basic string, quotes included.
std::string toml_string(std::string_view text);

/// "sum(float const*)" for "_Z3sumPKf"; returns a name that is not mangled unchanged. So it does with one
/// whose C++ name would be longer than 64 KiB, and with further names of that kind once they took 2 s.
std::string demangled(const std::string& name);

/// The same for a variable, but without the function that it is local to: "tile" for
/// "_ZZ3sumPKfE4tile".
std::string demangled_variable(const std::string& name);

/// `text` broken at blanks into lines of at most `width` columns. The first line begins at column `used`, the
/// others are indented by `indent`. A word longer than a line gets its own line.
std::string wrap(const std::string& text, std::size_t used, std::size_t indent, std::size_t width);

/// "; did you mean "grid"?" for a word that resembles one of `known`; otherwise empty.
std::string correction(std::string_view wrong, const std::vector<std::string>& known);

/// The same, but for a word that resembles none, a list of the known words.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace foldproof
