// The flags that a project's own build gives a file, out of its compile_commands.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foldproof {

/// The -I, -isystem, -D, -U, -std and CUDA language flags of `source`, folders made absolute. Throws
/// InputError when the database is missing, is no such database, or does not know the file.
std::vector<std::string> flags_from_database(const std::filesystem::path& folder,
                                             const std::filesystem::path& source);

}  // namespace foldproof
