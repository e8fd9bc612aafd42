// The one list of keys that a contract may hold: checks, error messages and docs/contracts.md come from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

enum class KeyType : std::uint8_t { integer, text, boolean, date, table, tables, texts, count, extent };

/// As a sentence says it: "an integer or an expression in a string".
std::string_view description(KeyType type);

struct KeyRow {
  std::string_view table;  ///< empty: the top of the file
  std::string_view key;
  KeyType type;
  std::string_view fallback;  ///< what holds without the key; "required" where it must be there
  std::string_view sentence;

  bool required() const { return fallback == "required"; }
};

std::span<const KeyRow> contract_keys();
const KeyRow* find_key(std::string_view table, std::string_view key);

/// What a key of earlier versions is called now, as a sentence goes on: ""file"; …". Empty for any other key.
std::string_view renamed_to(std::string_view table, std::string_view key);

/// The tables in the file's own spelling: "[source]", "[[launch]]", "the top of the contract".
std::string spelled_table(std::string_view table);

/// "; did you mean "grid"?" for a word that resembles one of `known`; else the list of what is known.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known);

/// The tables of docs/contracts.md, as Markdown.
std::string key_reference();

}  // namespace foldproof
