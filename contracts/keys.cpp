#include "contracts/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace foldproof {
namespace {

constexpr KeyRow key_rows[] = {
#define FOLDPROOF_KEY(table, key, type, fallback, sentence) {table, key, KeyType::type, fallback, sentence},
#include "contracts/keys.def"
#undef FOLDPROOF_KEY
};

struct RenamedKey {
  std::string_view table, key, now;
};
constexpr RenamedKey renamed[] = {
    {"", "further", "\"additional_output\""},
    {"equivalent", "at", "\"file\", without a line: \"code\" quotes the statement"},
};

/// Levenshtein distance: the number of letters to insert, delete or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> costs(b.size() + 1);
  std::iota(costs.begin(), costs.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = costs[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = costs[j + 1];
      costs[j + 1] = std::min({replaced, costs[j] + 1, costs[j + 1] + 1});
    }
  }
  return costs.back();
}

}  // namespace

std::string_view description(KeyType type) {
  switch (type) {
    case KeyType::integer: return "an integer";
    case KeyType::text: return "a string";
    case KeyType::boolean: return "true or false";
    case KeyType::date: return "a date such as 2027-01-01, without quotes";
    case KeyType::table: return "a table";
    case KeyType::tables: return "an array of tables";
    case KeyType::texts: return "an array of strings";
    case KeyType::count: return "an integer or an expression in a string";
    case KeyType::extent: return "an integer, an expression in a string, or an array of up to three of them";
  }
  return "";
}

std::span<const KeyRow> contract_keys() { return key_rows; }

const KeyRow* find_key(std::string_view table, std::string_view key) {
  const auto* found =
      std::ranges::find_if(key_rows, [&](const KeyRow& row) { return row.table == table && row.key == key; });
  return found == std::end(key_rows) ? nullptr : found;
}

std::string_view renamed_to(std::string_view table, std::string_view key) {
  for (const RenamedKey& row : renamed)
    if (row.table == table && row.key == key) return row.now;
  return {};
}

std::string spelled_table(std::string_view table) {
  const KeyRow* row = table.empty() ? nullptr : find_key("", table);
  if (row == nullptr) return "the top of the contract";
  return row->type == KeyType::tables ? fmt::format("[[{}]]", table) : fmt::format("[{}]", table);
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr std::size_t longest_word = 64;  // longer, possibly hostile words are not compared
  std::vector<std::string> near;
  for (const std::string& word : known)
    if (wrong.size() <= longest_word && distance(wrong, word) <= std::max<std::size_t>(1, word.size() / 3))
      near.push_back(fmt::format("\"{}\"", word));
  if (!near.empty()) return fmt::format("; did you mean {}?", fmt::join(near, " or "));
  if (known.empty()) return "";
  return fmt::format(" (known: {})", fmt::join(known, ", "));
}

}  // namespace foldproof
