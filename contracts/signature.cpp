#include "contracts/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "ptx/query.h"

namespace foldproof {
namespace {

/// The position of the parenthesis that is closed at the end of `text`; npos if there is none.
std::size_t opening_of_last(std::string_view text) {
  if (!text.ends_with(')')) return std::string_view::npos;
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Where the name begins in "void ns::sum<float>": after the return type, which only templates have.
std::size_t name_in(std::string_view function) {
  int depth = 0;
  for (std::size_t i = function.size(); i-- > 0;) {
    if (function[i] == '>' || function[i] == ')') ++depth;
    if (function[i] == '<' || function[i] == '(') --depth;
    if (function[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

bool is_number(std::string_view word) { return is_digit(word[0]); }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == i) ++end;
    if (text[i] != ' ') words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

/// The number of words, starting at `at`, of a cast before a literal, "(unsigned int)128", or of "(anonymous
/// namespace)::".
std::size_t decoration(const std::vector<std::string>& words, std::size_t at) {
  if (words[at] != "(") return 0;
  std::size_t close = at;
  while (close < words.size() && words[close] != ")") ++close;
  if (close + 1 >= words.size()) return 0;
  const bool anonymous = words[at + 1] == "anonymous" && close == at + 3 && close + 2 < words.size();
  if (anonymous) return 6;  // "(", "anonymous", "namespace", ")", ":", ":"
  const std::string& next = words[close + 1];
  const bool literal =
      is_number(next) || (next == "-" && close + 2 < words.size() && is_number(words[close + 2]));
  return literal ? close + 1 - at : 0;
}

/// One spelling for everything that C++ can spell in several ways: spaces only between words, no literal
/// suffixes, no casts before literals, no anonymous namespaces, "unsigned" in full.
std::string normalised(std::string_view spelling) {
  const std::vector<std::string> words = words_of(spelling);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    i += decoration(words, i);
    if (i >= words.size()) break;
    std::string word = words[i];
    if (is_number(word)) word.resize(std::min(word.find_first_of("uUlL"), word.size()));
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (word == "unsigned" && next != "int" && next != "char" && next != "short" && next != "long")
      word += " int";
    text += (!text.empty() && is_word(text.back()) && is_word(word[0]) ? " " : "") + word;
  }
  return text;
}

/// Whether `full` only adds template arguments to `spelled`, as "sum<float,64>" does to "sum<float>".
bool begins_with_arguments(std::string_view full, std::string_view spelled) {
  const std::string_view open = spelled.substr(0, spelled.size() - 1);
  return spelled.ends_with('>') && full.starts_with(open) && full.substr(open.size()).starts_with(',');
}

/// Whether a name matches if leading namespaces or trailing template arguments are omitted.
bool fits(std::string_view full, std::string_view spelled) {
  const std::size_t open = spelled.find('<');
  std::string_view name = full;
  for (;;) {
    if (name == spelled) return true;
    const bool arguments_left_out = open == std::string_view::npos ? name.substr(0, name.find('<')) == spelled
                                                                   : begins_with_arguments(name, spelled);
    if (arguments_left_out) return true;
    const std::size_t colons = name.find("::");
    if (colons == std::string_view::npos || colons > name.find('<')) return false;
    name.remove_prefix(colons + 2);
  }
}

/// The length of the template arguments, such as "<float, (3 > 2)>", at the beginning of `text`; 0 if they
/// are not closed.
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

/// A character of names in C++ and PTX; bytes above ASCII belong to UTF-8 letters.
bool is_name_character(char c) {
  return is_word(c) || c == '$' || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

/// The length of a name without its namespaces, including template arguments; 0 if there is none.
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

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> items;
  int depth = 0;
  std::size_t begin = 0;
  const auto push = [&](std::size_t end) {
    const std::string_view item = list.substr(begin, end - begin);
    const std::size_t first = item.find_first_not_of(' ');
    if (first != std::string_view::npos) items.emplace_back(item.substr(first));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::string_view("<({[").find(list[i]) != std::string_view::npos) ++depth;
    if (std::string_view(">)}]").find(list[i]) != std::string_view::npos) --depth;
    if (list[i] == ',' && depth == 0) push(i);
  }
  push(list.size());
  return items;
}

EntrySignature signature_of(const std::string& lowered) {
  EntrySignature signature = signature_of_spelling(demangled(lowered));
  signature.lowered = lowered;
  return signature;
}

EntrySignature signature_of_spelling(const std::string& text) {
  EntrySignature signature{text, text, {}};
  const std::size_t open = opening_of_last(text);
  if (open == std::string::npos) return signature;
  const std::string_view function = std::string_view(text).substr(0, open);
  signature.spelled = function.substr(name_in(function));
  signature.parameters = split_list(std::string_view(text).substr(open + 1, text.size() - open - 2));
  return signature;
}

std::string with_parameters(const EntrySignature& entry) {
  if (entry.lowered == entry.spelled) return entry.spelled;  // C linkage
  return fmt::format("{}({})", entry.spelled, fmt::join(entry.parameters, ", "));
}

std::vector<EntrySignature> entries_of(const ptx::Module& module) {
  std::vector<EntrySignature> signatures;
  for (const ptx::Function* entry : ptx::entries(module)) signatures.push_back(signature_of(entry->name));
  return signatures;
}

const EntrySignature* find_entry(const std::vector<EntrySignature>& entries, std::string_view spelling) {
  const std::string wanted = normalised(spelling);
  const EntrySignature* found = nullptr;
  for (const EntrySignature& entry : entries) {
    if (entry.lowered == spelling) return &entry;
    const std::string full = normalised(entry.spelled);
    if (full == wanted) return &entry;
    if (!fits(full, wanted)) continue;
    if (found != nullptr) return nullptr;
    found = &entry;
  }
  return found;
}

std::optional<std::string> why_no_entry(std::string_view text) {
  std::string_view trimmed = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  trimmed = trimmed.substr(0, trimmed.find_last_not_of(' ') + 1);
  if (spells_entry(trimmed)) return std::nullopt;
  return fmt::format(
      "\"{}\" is not the name of a kernel; write it as C++ does, without parameters, such as \"sum\" or "
      "\"ns::sum<float, 128>\"",
      text);
}

}  // namespace foldproof
