#include "base/temporary_folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/files.h"

namespace foldproof {

namespace fs = std::filesystem;

namespace {

/// The parent of this process's temporary folders; empty until it is set.
fs::path& chosen_folder() {
  static fs::path folder;
  return folder;
}

/// The user's folder for temporary files, which may not exist.
fs::path system_temporary_folder() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? resolved_path(named) : fs::path("/tmp");
}

fs::path parent_of_temporary_folders() {
  return chosen_folder().empty() ? system_temporary_folder() : chosen_folder();
}

/// The temporary folders that exist.
struct Folders {
  std::mutex mutex;
  std::set<fs::path> paths;
};

Folders& folders() {
  static Folders all;
  return all;
}

}  // namespace

void make_temporary_folders_in(const fs::path& folder) { chosen_folder() = folder; }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (parent_of_temporary_folders() / "foldproof-XXXXXX").string();
  const std::lock_guard lock(folders().mutex);
  if (mkdtemp(pattern.data()) == nullptr)
    throw Unsupported("cannot create a temporary folder here; set TMPDIR to a writable folder", {pattern});
  path_ = pattern;
  folders().paths.insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
  const std::lock_guard lock(folders().mutex);
  std::error_code error;
  fs::remove_all(path_, error);
  // A program that was killed may still write there; remove_temporary_folders() tries again.
  if (!fs::exists(path_, error)) folders().paths.erase(path_);
}

void remove_temporary_folders() {
  folders().mutex.lock();  // for good: no thread may create another folder
  std::error_code error;
  for (const fs::path& path : folders().paths) fs::remove_all(path, error);
}

bool make_private(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  struct stat parent {
  }, own{};
  if (stat(folder.parent_path().c_str(), &parent) != 0) return false;
  const bool is_ours = parent.st_uid == geteuid() || parent.st_uid == 0;
  const bool others_may_write =
      (parent.st_mode & S_IWOTH) != 0 || ((parent.st_mode & S_IWGRP) != 0 && parent.st_gid != getegid());
  // In a folder with the sticky bit, others cannot rename or remove what is ours.
  if (!is_ours || (others_may_write && (parent.st_mode & S_ISVTX) == 0)) return false;
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return false;
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return opened.number() >= 0 && fstat(opened.number(), &own) == 0 && own.st_uid == geteuid() &&
         fchmod(opened.number(), S_IRWXU) == 0;
}

std::optional<fs::path> lasting_user_cache() {
  std::vector<fs::path> candidates;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') candidates.push_back(fs::path(cache) / "foldproof");
  if (home != nullptr && *home == '/') candidates.push_back(fs::path(home) / ".cache" / "foldproof");
  candidates.push_back(system_temporary_folder() / fmt::format("foldproof-{}", geteuid()));
  for (const fs::path& folder : candidates)
    if (make_private(folder)) return folder;
  return std::nullopt;
}

fs::path user_cache() {
  if (auto folder = lasting_user_cache()) return *folder;
  static const TemporaryFolder own;
  return own.path();
}

}  // namespace foldproof
