#include "devices/emulated/isa/every_form.h"

#include <map>
#include <sstream>

namespace foldproof::isa {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text, char separator) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

const std::multimap<std::string, std::string> all_modifiers{
#define FOLDPROOF_MODIFIER(group, word, effect) {#group, word},
#include "devices/emulated/isa/modifiers.def"
#undef FOLDPROOF_MODIFIER
};

/// What the syntax allows at one position; includes an empty word if the position is optional.
Words alternatives(const Row& row, std::string token) {
  Words words;
  if (token.ends_with('?')) {
    words.emplace_back();
    token.pop_back();
  }
  const std::string inner = token.substr(1, token.size() - (token.size() > 1 ? 2 : 1));
  Words found{token};
  if (token == "T") found = words_of(std::string(row.types), ' ');
  if (token == "U") found = words_of(std::string(row.types2), ' ');
  if (token.front() == '(') found = words_of(inner, '|');
  if (token.front() == '<') {
    found.clear();
    const auto [first, last] = all_modifiers.equal_range(inner);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
  }
  words.insert(words.end(), found.begin(), found.end());
  return words;
}

void expand(const Row& row, const Words& tokens, std::size_t next, Words& suffixes,
            std::vector<NamedForm>& forms) {
  if (next < tokens.size()) {
    for (const std::string& word : alternatives(row, tokens[next])) {
      if (!word.empty()) suffixes.push_back(word);
      expand(row, tokens, next + 1, suffixes, forms);
      if (!word.empty()) suffixes.pop_back();
    }
    return;
  }
  const auto form = find_form(tokens.front(), suffixes);
  if (!form || rows()[form->row].id != row.id) return;
  std::string text = tokens.front();
  for (const std::string& word : suffixes) text += "." + word;
  forms.push_back({text, *form});
}

}  // namespace

std::vector<NamedForm> every_form_of(const Row& row) {
  std::vector<NamedForm> forms;
  Words suffixes;
  expand(row, words_of(std::string(row.syntax), '.'), 1, suffixes, forms);
  return forms;
}

}  // namespace foldproof::isa
