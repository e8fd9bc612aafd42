#include "contracts/guessing/kernel_name.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace foldproof {
namespace {

constexpr NameRow rows[] = {
#define FOLDPROOF_KERNEL_NAME(word, place, op, unknown) {word, NameRow::Place::place, Operator::op, unknown},
#include "contracts/guessing/names.def"
#undef FOLDPROOF_KERNEL_NAME
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// In small letters, "_" before each word of its own and behind the last: "_row_var_" of "rowVar" and
/// "row_var".
std::string in_words(std::string_view name) {
  std::string words = "_";
  char before = '_';
  for (const char c : name) {
    if (is_upper(c) && is_lower(before)) words += '_';
    if (is_upper(c))
      words += static_cast<char>(c - 'A' + 'a');
    else
      words += is_lower(c) ? c : '_';
    before = c;
  }
  return words + "_";
}

}  // namespace

const NameRow* row_of_name(std::string_view name) {
  const std::string words = in_words(name);
  const auto* found = std::ranges::find_if(rows, [&](const NameRow& row) {
    const std::string word(row.word);
    return words.find(row.place == NameRow::Place::word ? "_" + word + "_" : word) != std::string::npos;
  });
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace foldproof
