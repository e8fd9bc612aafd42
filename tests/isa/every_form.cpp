#include "every_form.h"

#include <map>
#include <sstream>

namespace foldproof::tests {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text, char separator) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

const std::multimap<std::string, std::string> modifiers{
#define FOLDPROOF_MODIFIER(group, word, effect) {#group, word},
#include "devices/emulated/isa/modifiers.def"
#undef FOLDPROOF_MODIFIER
};

/// What the syntax allows at one position; includes an empty word if the position is optional.
Words alternatives(const isa::Row& row, std::string token) {
  Words words;
  if (token.ends_with('?')) {
    words.emplace_back();
    token.pop_back();
  }
  const std::string inner = token.substr(1, token.size() - (token.size() > 1 ? 2 : 1));
  Words found{token};
  if (token == "T") found = split(std::string(row.types), ' ');
  if (token == "U") found = split(std::string(row.types2), ' ');
  if (token.front() == '(') found = split(inner, '|');
  if (token.front() == '<') {
    found.clear();
    const auto [first, last] = modifiers.equal_range(inner);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
  }
  words.insert(words.end(), found.begin(), found.end());
  return words;
}

void expand(const isa::Row& row, const Words& tokens, std::size_t next, Words& suffixes,
            std::vector<NamedForm>& forms) {
  if (next < tokens.size()) {
    for (const std::string& word : alternatives(row, tokens[next])) {
      if (!word.empty()) suffixes.push_back(word);
      expand(row, tokens, next + 1, suffixes, forms);
      if (!word.empty()) suffixes.pop_back();
    }
    return;
  }
  const auto form = isa::find_form(tokens.front(), suffixes);
  if (!form || isa::rows()[form->row].id != row.id) return;
  std::string text = tokens.front();
  for (const std::string& word : suffixes) text += "." + word;
  forms.push_back({text, *form});
}

}  // namespace

std::vector<NamedForm> every_form_of(const isa::Row& row) {
  std::vector<NamedForm> forms;
  Words suffixes;
  expand(row, split(std::string(row.syntax), '.'), 1, suffixes, forms);
  return forms;
}

}  // namespace foldproof::tests
