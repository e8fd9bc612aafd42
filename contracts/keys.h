// The single list of keys of a contract, from which checks, error messages and docs/contracts.md are
// generated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

enum class KeyType : std::uint8_t { integer, text, boolean, date, table, tables, texts, count, extent };

/// As used in sentences: "an integer or an expression in a string".
std::string_view description(KeyType type);

struct KeyRow {
  std::string_view table;  ///< empty: the top of the file
  std::string_view key;
  KeyType type;
  std::string_view fallback;  ///< the value if the key is missing; "required" if it must be present
  std::string_view sentence;

  bool required() const { return fallback == "required"; }
};

/// What `foldproof init` writes in place of a value that it cannot guess. No key accepts it.
inline constexpr std::string_view unknown_value = "?";

std::span<const KeyRow> contract_keys();
const KeyRow* find_key(std::string_view table, std::string_view key);

/// The current name of a key of earlier versions, as the end of a sentence: ""file"; …". Empty for any other
/// key.
std::string_view renamed_to(std::string_view table, std::string_view key);

/// A table as it is written in the file: "[source]", "[[launch]]", "the top of the contract".
std::string spelled_table(std::string_view table);

}  // namespace foldproof
