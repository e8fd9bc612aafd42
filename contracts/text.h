// Words and lines: what all readers of source text and PTX agree on, whatever the host's locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace foldproof {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// What an identifier may begin with.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// What it may go on with.
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// Takes the first line off `text`, without its line break.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace foldproof
