// Text: split into words and lines as every reader of sources and PTX does, whatever the host's locale;
// quoted for a shell and for TOML; made fit for a terminal.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Whether an identifier may begin with `c`.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// Whether an identifier may go on with `c`.
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// Takes the first line off `text`, without its line break.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Splits a command line into words as a POSIX shell does, without expanding anything.
std::vector<std::string> split_command(std::string_view command);

/// `text` as one word of a shell's command line, quoted where a shell would read it differently.
std::string shell_word(const std::string& text);

/// `text` as a TOML basic string, quotes included.
std::string toml_string(std::string_view text);

/// `text` on one line, without anything that a terminal would act upon: control characters become spaces.
std::string printable(std::string text);

/// `text` broken at blanks into lines of at most `width` columns. The first line begins at column `used`, the
/// others are indented by `indent`. A word longer than a line has a line of its own.
std::string wrap(const std::string& text, std::size_t used, std::size_t indent, std::size_t width);

}  // namespace foldproof
