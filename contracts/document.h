// A contract as TOML, checked against the table of keys: every value knows its file, line and column.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "base/error.h"
#include "contracts/keys.h"

namespace foldproof {

/// A string of the contract and where its first character stands.
struct Text {
  std::string value;
  Position where;
};

/// One table whose keys were checked: no unknown key, every type right, every required key there.
class Table {
 public:
  /// Throws InputError at the first offence. `name` is a table of the list of keys.
  Table(const toml::table& table, std::string_view name, std::string file);

  bool has(std::string_view key) const { return table_.contains(key); }
  const Position& where() const { return where_; }
  Position where(std::string_view key) const;

  // Values by key; nothing, empty or false where the key is absent.
  std::optional<Text> text(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  bool boolean(std::string_view key, bool fallback) const;
  std::vector<Text> texts(std::string_view key) const;
  /// An integer, a string, or an array of them, each as text.
  std::vector<Text> extent(std::string_view key) const;
  std::string date(std::string_view key) const;
  std::optional<Table> table(std::string_view key) const;
  std::vector<Table> tables(std::string_view key) const;
  /// A table whose keys are free names, in the order of the file.
  std::vector<std::pair<Text, const toml::node*>> free_table(std::string_view key) const;
  /// As `free_table`, for an array of them.
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
/// Where the text inside a string begins: past its quotes.
Position inside_of(const toml::node& node, const std::string& file);
/// The entries of a table in the order of the file.
std::vector<std::pair<Text, const toml::node*>> in_file_order(const toml::table& table,
                                                              const std::string& file);
/// An integer or a string as text; nothing for another type.
std::optional<Text> scalar(const toml::node& node, const std::string& file);

}  // namespace foldproof
