#include "contracts/entry_spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace foldproof {
namespace {

/// The length of a template's arguments, "<float, (3 > 2)>", at the beginning of `text`; 0 where they do not
/// end.
std::size_t arguments_length(std::string_view text) {
  std::string open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_parentheses = !open.empty() && open.back() != '<';
    if (c == ';' || c == '\n' || c == '\r') return 0;
    if (c == '(' || c == '[' || c == '{' || (c == '<' && !in_parentheses)) open += c;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && !in_parentheses)) {
      constexpr std::string_view openers = "([{<", closers = ")]}>";
      if (open.back() != openers[closers.find(c)]) return 0;
      open.pop_back();
    }
    if (open.empty()) return i + 1;
  }
  return 0;
}

/// Of names in C++ and PTX; bytes above ASCII belong to letters of UTF-8.
bool is_name_character(char c) {
  return is_word(c) || c == '$' || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

/// The length of a name without its namespaces, arguments included; 0 where there is none.
std::size_t component_length(std::string_view text) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  if (text.starts_with(anonymous)) return anonymous.size();
  std::size_t end = 0;
  while (end < text.size() && is_name_character(text[end])) ++end;
  if (end == 0 || is_digit(text[0])) return 0;
  const std::size_t open = std::min(text.find_first_not_of(' ', end), text.size());
  if (!text.substr(open).starts_with('<')) return end;
  const std::size_t arguments = arguments_length(text.substr(open));
  return arguments == 0 ? 0 : open + arguments;
}

bool spells_entry(std::string_view text) {
  if (text.starts_with("::")) text.remove_prefix(2);
  for (;;) {
    const std::size_t length = component_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
    if (text.empty()) return true;
    if (!text.starts_with("::")) return false;
    text.remove_prefix(2);
  }
}

}  // namespace

std::optional<std::string> why_no_entry(std::string_view text) {
  std::string_view trimmed = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  trimmed = trimmed.substr(0, trimmed.find_last_not_of(' ') + 1);
  if (spells_entry(trimmed)) return std::nullopt;
  return fmt::format(
      "\"{}\" is no kernel's name; write it as C++ does, without parameters, such as \"sum\" or "
      "\"ns::sum<float, 128>\"",
      text);
}

}  // namespace foldproof
