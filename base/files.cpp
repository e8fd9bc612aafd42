#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/error.h"

namespace foldproof {

namespace fs = std::filesystem;

bool is_lack_of_resources(int error) {
  constexpr int lacks[] = {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM};
  return std::ranges::find(lacks, error) != std::end(lacks);
}

RegularFile::RegularFile(const fs::path& file)
    // Opening a FIFO would wait for a writer.
    : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  struct stat status {};
  if (descriptor_.number() < 0 && (errno == ENOENT || errno == ENOTDIR))
    throw InputError("the file does not exist", {file.string()});
  if (descriptor_.number() < 0 && is_lack_of_resources(errno))
    throw Unsupported(fmt::format("the file cannot be opened: {}", std::strerror(errno)), {file.string()});
  if (descriptor_.number() < 0 || fstat(descriptor_.number(), &status) != 0)
    throw InputError("the file cannot be read; check its permissions", {file.string()});
  if (!S_ISREG(status.st_mode)) throw InputError("not a regular file", {file.string()});
  size_ = static_cast<std::uint64_t>(status.st_size);
}

std::string read_text_file(const fs::path& file, std::size_t limit) {
  RegularFile opened(file);
  if (opened.size() > limit)
    throw InputError(fmt::format("the file has {} bytes; the limit is {}", opened.size(), limit),
                     {file.string()});
  std::string text(static_cast<std::size_t>(opened.size()), '\0');
  if (!opened.read(text.data(), text.size())) {
    if (errno != 0)
      throw Unsupported(fmt::format("the file cannot be read: {}", std::strerror(errno)), {file.string()});
    throw InputError("the file was truncated while it was being read", {file.string()});
  }
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
  constexpr std::size_t largest_quoted_source = std::size_t{4} << 20;  // it is read again for each line
  std::optional<std::string> text;
  try {
    if (number != 0) text = read_if_possible(file, largest_quoted_source);
  } catch (const Unsupported&) {
  }
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  std::string line;
  for (unsigned i = 0; i < number; ++i)
    if (!std::getline(in, line)) return std::nullopt;
  return line;
}

bool write_file(const fs::path& file, std::string_view content) {
  constexpr mode_t mode = 0600;
  const Descriptor to(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  return to.number() >= 0 && write_all(to.number(), content.data(), content.size());
}

void write_temporary(const fs::path& file, std::string_view content) {
  if (!write_file(file, content))
    throw Unsupported(fmt::format("the temporary file cannot be written ({}); set TMPDIR to another "
                                  "folder",
                                  std::strerror(errno)),
                      {file.string()});
}

namespace {

constexpr mode_t usual_mode = 0666, executable = 0110;

/// The permissions of the file, or those of a new file. std::nullopt, with errno EEXIST, if it is not a
/// regular file.
std::optional<mode_t> mode_of(int folder, const std::string& name) {
  struct stat status {};
  if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISREG(status.st_mode)) return status.st_mode & 0777;
    errno = EEXIST;
    return std::nullopt;
  }
  const mode_t masked = umask(0);
  umask(masked);
  return usual_mode & ~masked;
}

/// Creates a file next to `name` and appends to `name` what makes its name unique.
Descriptor create_next_to(int folder, std::string& name) {
  constexpr int most_tries = 100;
  const std::string stem = name;
  for (int k = 0; k < most_tries; ++k) {
    std::uint32_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) break;
    name = fmt::format("{}.{:08x}", stem, random);
    Descriptor created(
        openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (created.number() >= 0 || errno != EEXIST) return created;
  }
  return Descriptor();
}

bool replace(int folder, const std::string& name, std::string_view text, mode_t also) {
  const std::optional<mode_t> mode = mode_of(folder, name);
  if (!mode) return false;
  std::string written = name;
  const Descriptor to = create_next_to(folder, written);
  if (to.number() < 0) return false;
  const bool is_complete = write_all(to.number(), text.data(), text.size()) &&
                           fchmod(to.number(), *mode | also) == 0 &&
                           renameat(folder, written.c_str(), folder, name.c_str()) == 0;
  if (is_complete) return true;
  const int why = errno;
  unlinkat(folder, written.c_str(), 0);
  errno = why;
  return false;
}

bool replace(const fs::path& file, std::string_view text, mode_t also) {
  return replace(AT_FDCWD, file.string(), text, also);
}

/// Throws Unsupported if this machine lacks resources, and InputError otherwise.
[[noreturn]] void fail(std::string_view what, const fs::path& path, int why = errno) {
  const std::string sentence = fmt::format("{}: {}", what, std::strerror(why));
  if (is_lack_of_resources(why)) throw Unsupported(sentence, {path.string()});
  throw InputError(sentence, {path.string()});
}

[[noreturn]] void cannot_write(const fs::path& file) { fail("the file cannot be written", file); }

[[noreturn]] void refuse_link(const fs::path& path) {
  throw InputError(
      "this is a symbolic link, and Foldproof does not write through symbolic links; name its target "
      "instead",
      {path.string()});
}

constexpr int as_folder = O_PATH | O_DIRECTORY | O_CLOEXEC;

/// Follows links.
Descriptor open_folder(const fs::path& folder) {
  Descriptor opened(open(folder.c_str(), as_folder));
  if (opened.number() < 0) fail("the folder cannot be opened", folder);
  return opened;
}

/// Creates a folder in the folder `in`, unless something of that name exists. `shown` is its path.
void create_component(int in, const fs::path& name, const fs::path& shown) {
  constexpr mode_t usual_folder_mode = 0777;
  if (mkdirat(in, name.c_str(), usual_folder_mode) == 0) return;
  const int why = errno;
  struct stat status {};
  if (fstatat(in, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    fail("the folder cannot be created", shown, why);
}

/// Opens a folder in the folder `in`. Throws InputError if it is a link.
Descriptor open_component(int in, const fs::path& name, const fs::path& shown) {
  Descriptor opened(openat(in, name.c_str(), as_folder | O_NOFOLLOW));
  if (opened.number() >= 0) return opened;
  const int why = errno;
  struct stat status {};
  if (fstatat(in, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
    refuse_link(shown);
  if (why == ENOTDIR) throw InputError("not a folder", {shown.string()});
  fail("the folder cannot be opened", shown, why);
}

enum class Missing : unsigned char { create, refuse };

/// Opens the folder `rest` in the folder `from`, whose path is `shown`, without following a link: one
/// component at a time.
Descriptor open_without_links(Descriptor from, fs::path shown, const fs::path& rest, Missing missing) {
  for (const fs::path& component : rest) {
    shown /= component;
    if (missing == Missing::create) create_component(from.number(), component, shown);
    from = open_component(from.number(), component, shown);
  }
  return from;
}

}  // namespace

fs::path resolved_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return path.lexically_normal();
  if (std::ranges::find(absolute, fs::path("..")) == absolute.end()) return absolute.lexically_normal();
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : canonical;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return path;  // the current folder no longer exists
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  return error ? resolved_path(path) : canonical;
}

fs::path folder_of(const fs::path& file) {
  std::error_code error;
  return without_links(fs::absolute(file, error).parent_path());
}

bool is_below(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(file, error), base = fs::weakly_canonical(folder, error);
  return !error && !base.empty() && std::ranges::mismatch(base, target).in1 == base.end();
}

fs::path settled_path(const fs::path& folder) {
  const fs::path whole = without_slash(folder);
  std::error_code error;
  const fs::path parent = fs::weakly_canonical(whole.parent_path(), error);
  return whole.is_relative() || error || !whole.has_filename() ? whole : parent / whole.filename();
}

fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

void refuse_links(const fs::path& path) {
  std::error_code error;
  const fs::path whole = without_slash(path);
  fs::path part;
  for (const fs::path& component : whole) {
    part /= component;
    if ((path.is_relative() || part == whole) && fs::is_symlink(part, error)) refuse_link(part);
  }
}

OutputFolder::OutputFolder(fs::path path, Descriptor folder)
    : path_(std::move(path)), folder_(std::move(folder)) {}

OutputFolder::OutputFolder(const fs::path& folder) : path_(without_slash(folder)) {
  const fs::path root = path_.root_path();
  folder_ = open_without_links(open_folder(root.empty() ? "." : root), root, path_.relative_path(),
                               Missing::create);
}

OutputFolder OutputFolder::of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (folder.is_relative())
    return {folder, open_without_links(open_folder("."), "", folder, Missing::refuse)};
  Descriptor opened(open(folder.c_str(), as_folder));
  if (opened.number() < 0) cannot_write(file);
  return {folder, std::move(opened)};
}

bool OutputFolder::replace_file(const std::string& name, std::string_view text) const {
  return replace(folder_.number(), name, text, 0);
}

/// Whether a file of this kind is written to instead of being replaced. Throws InputError if it is refused.
bool OutputFolder::is_written_through(const std::string& name) const {
  struct stat own {
  }, target{};
  const int in = folder_.number();
  const fs::path file = path_ / name;
  if (fstatat(in, name.c_str(), &own, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(own.st_mode)) return false;
  if (S_ISFIFO(own.st_mode) || S_ISCHR(own.st_mode)) return true;
  if (!S_ISLNK(own.st_mode)) throw InputError("not a regular file", {file.string()});
  const std::string path = (resolved_path(path_) / name).string();
  // Everybody may create a link in these folders of /dev.
  const bool is_public = path.starts_with("/dev/shm/") || path.starts_with("/dev/mqueue/");
  const bool is_system = (path.starts_with("/dev/") && !is_public) || path.starts_with("/proc/");
  if (!is_system || fstatat(in, name.c_str(), &target, 0) != 0 || S_ISBLK(target.st_mode))
    throw InputError("the file is a symbolic link, which is not followed; name its target", {file.string()});
  return true;
}

void OutputFolder::check_output(const std::string& name) const {
  if (!is_written_through(name) && faccessat(folder_.number(), ".", W_OK | X_OK, 0) != 0)
    cannot_write(path_ / name);
}

void OutputFolder::remove_output(const std::string& name) const {
  check_output(name);
  if (!is_written_through(name) && unlinkat(folder_.number(), name.c_str(), 0) != 0 && errno != ENOENT)
    cannot_write(path_ / name);
}

void OutputFolder::write_output(const std::string& name, std::string_view content) const {
  if (!is_written_through(name)) {
    if (!replace_file(name, content)) cannot_write(path_ / name);
    return;
  }
  // Without O_NONBLOCK, opening a FIFO would wait for a reader.
  const Descriptor to(
      openat(folder_.number(), name.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (to.number() < 0 || fcntl(to.number(), F_SETFL, O_APPEND) != 0 ||
      !write_all(to.number(), content.data(), content.size()))
    cannot_write(path_ / name);
}

bool replace_file(const fs::path& file, std::string_view text) { return replace(file, text, 0); }

bool replace_program(const fs::path& file, std::string_view content) {
  return replace(file, content, executable);
}

void check_output(const fs::path& file) { OutputFolder::of(file).check_output(file.filename()); }

void write_output(const fs::path& file, std::string_view content) {
  OutputFolder::of(file).write_output(file.filename(), content);
}

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder.empty() ? "." : folder) / name; is_program(file))
      return resolved_path(file);
  return std::nullopt;
}

}  // namespace foldproof
