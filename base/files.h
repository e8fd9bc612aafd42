// Reading and writing whole files, with size limits and readable errors; temporary folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace foldproof {

/// The maximum size, in bytes, of a source file read into memory, generated sources included.
inline constexpr std::size_t largest_source = std::size_t{64} << 20;

/// Throws InputError if `file` is missing, is not a regular file, cannot be read or is larger than `limit`
/// bytes.
std::string read_text_file(const std::filesystem::path& file, std::size_t limit);

/// The same, but returns std::nullopt instead of throwing.
std::optional<std::string> read_if_possible(const std::filesystem::path& file,
                                            std::size_t limit = std::numeric_limits<std::size_t>::max());

/// Line `number` of a file, counted from 1; std::nullopt if there is no such line.
std::optional<std::string> line_of(const std::filesystem::path& file, unsigned number);

/// Writes `content` to `file`, replacing its contents. Returns false on failure.
bool write_file(const std::filesystem::path& file, std::string_view content);

/// Writes a temporary file next to `file` and renames it, so that a reader sees either the old or the new
/// content, never a part of it. Returns false on failure.
bool replace_file(const std::filesystem::path& file, std::string_view text);

/// The same for a program: the new file is executable.
bool replace_program(const std::filesystem::path& file, std::string_view content);

/// Whether `file` is a program that this user may execute.
bool is_program(const std::filesystem::path& file);

/// The first program of that name in the folders of PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// The user's cache: $XDG_CACHE_HOME/foldproof, else ~/.cache/foldproof, else below the temporary folder.
std::filesystem::path user_cache();

/// Makes this process create its temporary folders in `folder`. The caller removes `folder`.
void make_temporary_folders_in(const std::filesystem::path& folder);

/// Removes all temporary folders of this process, which must then exit: other threads that use temporary
/// folders block.
void remove_temporary_folders();

/// A new folder in the system's temporary folder (or that of make_temporary_folders_in). The destructor
/// removes it with its content.
class TemporaryFolder {
 public:
  /// Throws Unsupported if the folder cannot be created.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace foldproof
