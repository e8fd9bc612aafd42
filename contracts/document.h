// A contract as TOML, validated against the table of keys; every value has a file, line and column.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "base/error.h"
#include "contracts/keys.h"

namespace foldproof {

/// A string of the contract and the position of its first character.
struct Text {
  std::string value;
  Position where;
};

/// A table whose keys have been validated: none is unknown, every type is correct, and every required key is
/// present (except `launch`, which load_contract checks).
class Table {
 public:
  /// Throws InputError for the first violation. `name`: the table's name in keys.def.
  Table(const toml::table& table, std::string_view name, std::string file);

  bool has(std::string_view key) const { return table_.contains(key); }
  const Position& where() const { return where_; }
  Position where(std::string_view key) const;

  // Values by key; nothing, an empty value or the fallback if the key is missing.
  std::optional<Text> text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string_view fallback) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  bool boolean(std::string_view key, bool fallback) const;
  std::vector<Text> texts(std::string_view key) const;
  /// An integer, a string, or an array of these, each as text.
  std::vector<Text> extent(std::string_view key) const;
  std::string date(std::string_view key) const;
  std::optional<Table> table(std::string_view key) const;
  /// At most 1024.
  std::vector<Table> tables(std::string_view key) const;
  /// A table with arbitrary keys, in file order.
  std::vector<std::pair<Text, const toml::node*>> free_table(std::string_view key) const;
  /// An array of tables with arbitrary keys.
  std::vector<const toml::table*> free_tables(std::string_view key) const;

  const std::string& file() const { return file_; }

 private:
  const toml::table& table_;
  std::string file_;
  Position where_;
};

/// Reads and parses a file of at most 1 MiB. Throws InputError.
toml::table parse_toml(const std::filesystem::path& file);

Position position_of(const toml::node& node, const std::string& file);
/// The position of the text inside a string, after its opening quote.
Position inside_of(const toml::node& node, const std::string& file);
/// The entries of a table in file order.
std::vector<std::pair<Text, const toml::node*>> in_file_order(const toml::table& table,
                                                              const std::string& file);
/// An integer or a string as text; nothing for any other type.
std::optional<Text> scalar(const toml::node& node, const std::string& file);

}  // namespace foldproof
