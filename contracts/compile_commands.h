// The flags with which a project's own build compiles a file, from its compile_commands.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foldproof {

/// The -I, -isystem, -include, -D, -U, -std and CUDA language flags of `source`; paths of folders are made
/// absolute. Throws InputError if the database is missing or malformed, does not contain the file, or
/// contains it with different flags.
std::vector<std::string> flags_from_database(const std::filesystem::path& folder,
                                             const std::filesystem::path& source);

/// The flags, of the same kinds, of all its commands, without repetitions. Commands with flags that are not
/// allowed are left out. Throws InputError if the database is missing or malformed.
std::vector<std::string> all_flags_of_database(const std::filesystem::path& folder);

}  // namespace foldproof
