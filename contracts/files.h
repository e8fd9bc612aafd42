// Whole files in and out of memory, with limits and sentences.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace foldproof {

/// Bytes of a source that is read into memory; generated ones included.
inline constexpr std::size_t largest_source = std::size_t{64} << 20;

/// Throws InputError when the file is missing, is no file, cannot be read or is larger than `limit` bytes.
std::string read_text_file(const std::filesystem::path& file, std::size_t limit);

/// Writes beside the target and renames, so that a reader sees the old file or the new one, never half of it.
/// Returns false where that is not possible.
bool replace_file(const std::filesystem::path& file, std::string_view text);

/// The same of a program, which may be run afterwards.
bool replace_program(const std::filesystem::path& file, std::string_view content);

/// The user's cache: $XDG_CACHE_HOME/foldproof, else ~/.cache/foldproof, else below the temporary folder.
std::filesystem::path user_cache();

}  // namespace foldproof
