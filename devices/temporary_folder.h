// Where files lie that nobody needs for long.
#pragma once

#include <filesystem>

namespace foldproof {

/// From now on this process makes its temporary folders in this one, which somebody else removes.
void make_temporary_folders_in(const std::filesystem::path& folder);

/// A folder of its own below the system's temporary one, removed with everything in it. Throws InputError where
/// none can be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace foldproof
