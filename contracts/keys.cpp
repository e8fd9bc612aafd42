#include "contracts/keys.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (row == nullptr) return "the top-level table";
  return row->type == KeyType::tables ? fmt::format("[[{}]]", table) : fmt::format("[{}]", table);
}

}  // namespace foldproof
