#include "contracts/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace foldproof {
namespace {

constexpr std::size_t largest_contract = std::size_t{1} << 20;
constexpr std::size_t most_dots = 1000;

/// The end of the string that begins at `at`: after its closing quotes, or at the end of the line if a
/// single-line string is not closed.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool is_long = text.substr(at).starts_with(triple);
  const std::string_view closing = is_long ? std::string_view(triple) : std::string_view(triple).substr(0, 1);
  for (std::size_t i = at + closing.size(); i < text.size(); ++i) {
    if (text.substr(i).starts_with(closing)) return i + closing.size();
    if (text[i] == '\n' && !is_long) return i;
    if (text[i] == '\\' && quote == '"') ++i;
  }
  return text.size();
}

/// The parser limits the nesting of values but not the depth of a dotted key a.b.c, and it recurses over
/// both.
std::size_t dots_outside_strings(std::string_view text) {
  std::size_t dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') ++dots;
    if (text[i] == '#')
      i = std::min(text.find('\n', i), text.size());
    else if (text[i] == '"' || text[i] == '\'')
      i = end_of_string(text, i) - 1;
  }
  return dots;
}

std::string_view toml_type(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a floating-point number";
    case toml::node_type::boolean: return "true or false";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time";
    case toml::node_type::date_time: return "a date with a time";
    case toml::node_type::none: break;
  }
  return "nothing";
}

bool has_unknown(const toml::node& node) {
  const toml::array* array = node.as_array();
  return node.value<std::string_view>() == unknown_value ||
         (array != nullptr && std::any_of(array->begin(), array->end(), has_unknown));
}

bool is_count(const toml::node& node) { return node.is_integer() || node.is_string(); }

template <typename Predicate>
bool is_array_of(const toml::node& node, Predicate predicate) {
  const toml::array* array = node.as_array();
  return array != nullptr && std::all_of(array->begin(), array->end(), predicate);
}

bool matches(const toml::node& node, KeyType type) {
  switch (type) {
    case KeyType::integer: return node.is_integer();
    case KeyType::text: return node.is_string();
    case KeyType::boolean: return node.is_boolean();
    case KeyType::date: return node.is_date();
    case KeyType::table: return node.is_table();
    case KeyType::tables: return is_array_of(node, [](const toml::node& n) { return n.is_table(); });
    case KeyType::texts: return is_array_of(node, [](const toml::node& n) { return n.is_string(); });
    case KeyType::count: return is_count(node);
    case KeyType::extent:
      return is_count(node) ||
             (is_array_of(node, is_count) && !node.as_array()->empty() && node.as_array()->size() <= 3);
  }
  return false;
}

void check_key(const toml::key& key, const toml::node& node, std::string_view table,
               const std::string& file) {
  const KeyRow* row = find_key(table, key.str());
  const Position where{file, key.source().begin.line, key.source().begin.column};
  if (row == nullptr) {
    if (const std::string_view now = renamed_to(table, key.str()); !now.empty())
      throw InputError(
          fmt::format("\"{}\" in {} has been renamed to {}", key.str(), spelled_table(table), now), where);
    std::vector<std::string> known;
    for (const KeyRow& other : contract_keys())
      if (other.table == table) known.emplace_back(other.key);
    throw InputError(fmt::format("unknown key \"{}\" in {}{}", key.str(), spelled_table(table),
                                 suggestion(key.str(), known)),
                     where);
  }
  if (!matches(node, row->type))
    throw InputError(fmt::format("\"{}\" in {} must be {}, not {}", key.str(), spelled_table(table),
                                 description(row->type), toml_type(node)),
                     position_of(node, file));
  if (has_unknown(node))
    throw InputError(fmt::format("\"{}\" in {} is still \"{}\"; replace it: {}", key.str(),
                                 spelled_table(table), unknown_value, row->sentence),
                     position_of(node, file));
}

}  // namespace

Position position_of(const toml::node& node, const std::string& file) {
  return {file, node.source().begin.line, node.source().begin.column};
}

Position inside_of(const toml::node& node, const std::string& file) {
  Position where = position_of(node, file);
  if (node.is_string() && where.column != 0) ++where.column;
  return where;
}

std::vector<std::pair<Text, const toml::node*>> in_file_order(const toml::table& table,
                                                              const std::string& file) {
  std::vector<std::pair<Text, const toml::node*>> entries;
  for (const auto& [key, node] : table)
    entries.push_back(
        {{std::string(key.str()), {file, key.source().begin.line, key.source().begin.column}}, &node});
  std::ranges::stable_sort(entries, {}, [](const auto& entry) {
    return std::pair(entry.first.where.line, entry.first.where.column);
  });
  return entries;
}

std::optional<Text> scalar(const toml::node& node, const std::string& file) {
  if (const auto* text = node.as_string()) return Text{text->get(), inside_of(node, file)};
  if (const auto* number = node.as_integer())
    return Text{std::to_string(number->get()), position_of(node, file)};
  return std::nullopt;
}

namespace {

/// System calls would see a path only up to it.
void refuse_nul(const toml::node& node, const std::string& file) {
  if (const auto* text = node.as_string(); text && text->get().find('\0') != std::string::npos)
    throw InputError("the text contains a NUL character; remove it", position_of(node, file));
  if (const auto* array = node.as_array())
    for (const toml::node& element : *array) refuse_nul(element, file);
  if (const auto* table = node.as_table())
    for (const auto& [key, value] : *table) refuse_nul(value, file);
}

}  // namespace

toml::table parse_toml(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, largest_contract);
  if (dots_outside_strings(text) > most_dots)
    throw InputError(fmt::format("the contract has more than {} dots in its keys", most_dots),
                     {file.string()});
  try {
    toml::table table = toml::parse(text, file.string());
    refuse_nul(table, file.string());
    return table;
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("invalid TOML: {}", error.description()),
                     {file.string(), error.source().begin.line, error.source().begin.column});
  }
}

Table::Table(const toml::table& table, std::string_view name, std::string file)
    : table_(table), file_(std::move(file)), where_(position_of(table, file_)) {
  if (where_.line == 0) where_ = {file_, 1, 1};
  for (const auto& [key, node] : table) check_key(key, node, name, file_);
  for (const KeyRow& row : contract_keys()) {
    const bool elsewhere = row.key == "launch";  // not required with a `call`; load_contract checks it
    if (row.table == name && row.required() && !elsewhere && !table.contains(row.key))
      throw InputError(fmt::format("{} lacks the key \"{}\": {}", spelled_table(name), row.key, row.sentence),
                       where_);
  }
}

Position Table::where(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? where_ : inside_of(*node, file_);
}

std::optional<Text> Table::text(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? std::nullopt : scalar(*node, file_);
}

std::string Table::text_or(std::string_view key, std::string_view fallback) const {
  const auto found = text(key);
  return found ? found->value : std::string(fallback);
}

std::optional<std::int64_t> Table::integer(std::string_view key) const {
  return table_[key].value<std::int64_t>();
}

bool Table::boolean(std::string_view key, bool fallback) const { return table_[key].value_or(fallback); }

std::vector<Text> Table::texts(std::string_view key) const {
  std::vector<Text> texts;
  if (const toml::array* array = table_[key].as_array())
    for (const toml::node& node : *array) texts.push_back(*scalar(node, file_));
  return texts;
}

std::vector<Text> Table::extent(std::string_view key) const {
  if (const auto single = text(key)) return {*single};
  return texts(key);
}

std::string Table::date(std::string_view key) const {
  const auto* date = table_[key].as_date();
  if (date == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
}

std::optional<Table> Table::table(std::string_view key) const {
  const toml::table* inner = table_[key].as_table();
  if (inner == nullptr) return std::nullopt;
  return Table(*inner, key, file_);
}

std::vector<Table> Table::tables(std::string_view key) const {
  constexpr std::size_t most_tables = 1024;
  std::vector<Table> tables;
  const std::vector<const toml::table*> all = free_tables(key);
  if (all.size() > most_tables)
    throw InputError(fmt::format("[[{}]] occurs {} times; the limit is {}", key, all.size(), most_tables),
                     where(key));
  for (const toml::table* inner : all) tables.emplace_back(*inner, key, file_);
  return tables;
}

std::vector<std::pair<Text, const toml::node*>> Table::free_table(std::string_view key) const {
  const toml::table* inner = table_[key].as_table();
  if (inner == nullptr) return {};
  return in_file_order(*inner, file_);
}

std::vector<const toml::table*> Table::free_tables(std::string_view key) const {
  std::vector<const toml::table*> tables;
  if (const toml::array* array = table_[key].as_array())
    for (const toml::node& node : *array) tables.push_back(node.as_table());
  return tables;
}

}  // namespace foldproof
