// Whole files read and written, with limits and with errors that are sentences; temporary folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace foldproof {

/// The size limit, in bytes, of a source that is read into memory; generated sources included.
inline constexpr std::size_t largest_source = std::size_t{64} << 20;

/// Throws InputError when `file` is missing, is not a regular file, cannot be read or is larger than `limit`
/// bytes.
std::string read_text_file(const std::filesystem::path& file, std::size_t limit);

/// The same, but nothing instead of an error.
std::optional<std::string> read_if_possible(const std::filesystem::path& file,
                                            std::size_t limit = std::numeric_limits<std::size_t>::max());

/// Line `number` of a file, counted from 1; nothing where there is none.
std::optional<std::string> line_of(const std::filesystem::path& file, unsigned number);

/// Writes `content` to `file`, replacing its contents. Returns false where that is impossible.
bool write_file(const std::filesystem::path& file, std::string_view content);

/// Writes a file next to `file` and renames it, so that a reader sees the old content or the new one, never a
/// part of it. Returns false where that is impossible.
bool replace_file(const std::filesystem::path& file, std::string_view text);

/// The same for a program: the new file is executable.
bool replace_program(const std::filesystem::path& file, std::string_view content);

/// Whether `file` is a program that this user may run.
bool is_program(const std::filesystem::path& file);

/// The first program of that name in the folders of PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// The user's cache: $XDG_CACHE_HOME/foldproof, else ~/.cache/foldproof, else below the temporary folder.
std::filesystem::path user_cache();

/// From now on this process makes its temporary folders in `folder`; its caller removes `folder`.
void make_temporary_folders_in(const std::filesystem::path& folder);

/// A new folder below the system's temporary one, removed with its content by the destructor.
class TemporaryFolder {
 public:
  /// Throws InputError where no folder can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace foldproof
