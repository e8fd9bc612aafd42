// What may reach nvcc from a contract, a stored case, a compilation database or -D, -I and --std: flags that
// cannot run a command, and characters that the shell of nvcc does not interpret. --nvcc is not limited.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foldproof {

/// A word of a list of flags and its position.
struct FlagWord {
  std::string value;
  Position where;
};

/// Which value a flag has, and so which characters may be in it: a word such as c++17, a flag of the host
/// compiler, a macro, a file or folder, or one that nvcc does not put in quotes.
enum class FlagValue : unsigned char { none, word, flag, definition, file, plain_file };

struct FlagRow {
  std::string_view name;
  FlagValue value;
};

/// The row for a word such as "-O", "-O2" or "-std=c++17"; null if the table of flags.cpp has none.
const FlagRow* row_of(std::string_view word);

/// The first character that the shell of nvcc could interpret, or that has no place in such a value, as a
/// reader sees it.
std::optional<std::string> refused_character(std::string_view text, FlagValue value);

/// The flags in the form in which nvcc takes each as one argument, such as "-I/folder" and "-std=c++17".
/// Relative folders and files are relative to `folder`. Throws InputError for a flag that is not in the table
/// of flags.cpp (docs/contracts.md lists it), and for a value with a character that is not allowed.
std::vector<std::string> harmless_flags(std::span<const FlagWord> words, const std::filesystem::path& folder);

/// Throws InputError if the path contains a character that the shell of nvcc could interpret, or a comma, at
/// which nvcc divides arguments.
void check_path_for_nvcc(const std::filesystem::path& path);

}  // namespace foldproof
