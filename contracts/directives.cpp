#include "contracts/directives.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/text.h"
#include "contracts/cuda_tokens.h"

namespace foldproof {
namespace {

/// The next line and those that continue it after a backslash, as one line.
std::string take_logical_line(std::string_view& text) {
  std::string_view rest = text.substr(0, end_of_line(text, 0));
  text.remove_prefix(rest.size());
  std::string line;
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find_first_of("\r\n"));
    rest.remove_prefix(part.size());
    rest.remove_prefix(rest.starts_with("\r\n") ? 2 : std::min<std::size_t>(rest.size(), 1));
    if (part.ends_with('\\') && !rest.empty()) part.remove_suffix(1);
    line += part;
  }
  return line;
}

/// Skips blanks. If the word follows, skips it as well, and returns true.
bool skip(std::string_view& line, std::string_view word) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const bool is_next = line.starts_with(word);
  if (is_next) line.remove_prefix(word.size());
  return is_next;
}

/// Skips blanks, and takes the identifier that follows; empty if there is none.
std::string_view take_identifier(std::string_view& line) {
  skip(line, "");
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

void add_include(Directives& directives, std::string_view line) {
  const bool is_quoted = skip(line, "\"");
  if (!is_quoted && !skip(line, "<")) {
    directives.includes_macro = true;
    return;
  }
  const std::string_view name = line.substr(0, line.find_first_of("\">"));
  directives.includes[{std::string(name), is_quoted}] = directives.macros.size();
}

/// The value of a flag that has one of the names; nothing for another flag.
std::optional<std::string_view> value_of(std::string_view flag,
                                         std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!flag.starts_with(name)) continue;
    const std::string_view value = flag.substr(name.size());
    if (name.size() == 2) return value;
    if (value.starts_with('=')) return value.substr(1);
  }
  return std::nullopt;
}

/// A definition in the form of -D: "NAME", "NAME=text" or "NAME(x)=text".
Macro defined_by_flag(std::string_view definition) {
  const std::string_view name = take_identifier(definition);
  std::string text(definition);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {std::string(name), text + " 1"};
  text[equals] = ' ';
  return {std::string(name), text};
}

}  // namespace

Directives directives_of(std::string_view text) {
  Directives directives;
  while (!text.empty()) {
    const std::string whole = take_logical_line(text);
    std::string_view line = whole;
    if (!skip(line, "#")) continue;
    const std::string_view directive = take_identifier(line);
    if (directive == "define") {
      const std::string_view name = take_identifier(line);
      directives.macros.push_back({std::string(name), std::string(line)});
    } else if (directive.starts_with("if") || directive.starts_with("elif")) {
      for (const std::string_view token : tokens_of(line))
        if (is_letter(token.front())) directives.conditions.emplace(token);
    } else if (directive == "include" || directive == "include_next") {
      add_include(directives, line);
    }
  }
  return directives;
}

PreprocessorFlags preprocessor_flags(const std::vector<std::string>& flags) {
  PreprocessorFlags found;
  for (const std::string_view flag : flags) {
    if (const auto definition = value_of(flag, {"-D", "--define-macro"}))
      found.macros.push_back(defined_by_flag(*definition));
    if (const auto folder = value_of(flag, {"-isystem", "--system-include", "--include-path", "-I"}))
      found.folders.emplace_back(*folder);
    if (const auto file = value_of(flag, {"-include", "--pre-include"})) found.files.emplace_back(*file);
  }
  return found;
}

}  // namespace foldproof
