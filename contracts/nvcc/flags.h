// What may reach nvcc from a contract, a stored case, a compilation database or -D, -I and --std: flags that
// cannot run a command, and characters that the shell of nvcc does not interpret. --nvcc is not limited.
#pragma once

#include <filesystem>
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

/// The flags in the form in which nvcc takes each as one argument, such as "-I/folder" and "-std=c++17".
/// Relative folders and files are relative to `folder`. Throws InputError for a flag that is not in the table
/// of flags.cpp (docs/contracts.md lists it), and for a value with a character that is not allowed.
std::vector<std::string> harmless_flags(std::span<const FlagWord> words, const std::filesystem::path& folder);

/// The same for a complete command: flags that are not in the table are ignored. Of those for the host
/// compiler, definitions, include folders and flags that change its predefined macros are used.
std::vector<std::string> harmless_flags_among(std::span<const FlagWord> words,
                                              const std::filesystem::path& folder);

/// Throws InputError if the path contains a character that the shell of nvcc could interpret, or a comma, at
/// which nvcc divides arguments.
void check_path_for_nvcc(const std::filesystem::path& path);

}  // namespace foldproof
