// Folders of this process and of this user: temporary ones, and the cache.
#pragma once

#include <filesystem>
#include <optional>

namespace foldproof {

/// Makes `folder` private, and creates it if it does not exist: its mode becomes 0700. Returns false if it is
/// a link, belongs to another user, or is in a folder in which other users can replace it. A group-writable
/// folder of the user's own group counts as the user's; folders above the parent are not checked.
bool make_private(const std::filesystem::path& folder);

/// The user's private cache: the first of $XDG_CACHE_HOME/foldproof, ~/.cache/foldproof and
/// foldproof-USERID in the system's temporary folder that can be made private.
std::optional<std::filesystem::path> lasting_user_cache();
/// The same, else a temporary folder of this process.
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
