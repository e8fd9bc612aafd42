#include "base/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "base/error.h"

namespace foldproof {

namespace fs = std::filesystem;

std::string read_text_file(const fs::path& file, std::size_t limit) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw InputError("the file does not exist", {file.string()});
  if (!fs::is_regular_file(status)) throw InputError("not a regular file", {file.string()});
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError("the file cannot be read; check its permissions", {file.string()});
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > limit)
    throw InputError(fmt::format("the file has {} bytes; the limit is {}", size, limit), {file.string()});
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::optional<std::string> read_if_possible(const fs::path& file, std::size_t limit) {
  try {
    return read_text_file(file, limit);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<std::string> line_of(const fs::path& file, unsigned number) {
  std::error_code error;
  if (number == 0 || !fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream in(file);
  std::string line;
  for (unsigned i = 0; i < number; ++i)
    if (!std::getline(in, line)) return std::nullopt;
  return line;
}

bool write_file(const fs::path& file, std::string_view content) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  return static_cast<bool>(stream);
}

namespace {

bool replace(const fs::path& file, std::string_view text, fs::perms also) {
  static std::atomic<unsigned> serial{0};
  const fs::path written = fmt::format("{}.{}.{}.new", file.string(), getpid(), serial++);
  std::error_code error;
  if (write_file(written, text)) {
    fs::permissions(written, also, fs::perm_options::add, error);
    if (!error) fs::rename(written, file, error);
    if (!error) return true;
  }
  fs::remove(written, error);
  return false;
}

}  // namespace

bool replace_file(const fs::path& file, std::string_view text) {
  return replace(file, text, fs::perms::none);
}

bool replace_program(const fs::path& file, std::string_view content) {
  return replace(file, content, fs::perms::owner_exec | fs::perms::group_exec);
}

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder.empty() ? "." : folder) / name; is_program(file)) return file;
  return std::nullopt;
}

fs::path user_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "foldproof";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "foldproof";
  std::error_code error;
  return fs::temp_directory_path(error) / "foldproof";
}

namespace {

/// The parent of this process's temporary folders; empty until it is set.
fs::path& chosen_folder() {
  static fs::path folder;
  return folder;
}

fs::path parent_of_temporary_folders() {
  if (!chosen_folder().empty()) return chosen_folder();
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : folder;
}

}  // namespace

namespace {

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
  if (mkdtemp(pattern.data()) == nullptr)
    throw Unsupported("cannot create a temporary folder here; set TMPDIR to a writable folder", {pattern});
  path_ = pattern;
  const std::lock_guard lock(folders().mutex);
  folders().paths.insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
  const std::lock_guard lock(folders().mutex);
  std::error_code error;
  fs::remove_all(path_, error);
  folders().paths.erase(path_);
}

void remove_temporary_folders() {
  folders().mutex.lock();  // for good: no thread may create another folder
  std::error_code error;
  for (const fs::path& path : folders().paths) fs::remove_all(path, error);
}

}  // namespace foldproof
