#include "contracts/nvcc/cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "contracts/contract.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

// A cached file, line by line:
//   foldproof-ptx 4 HASH     of everything below; all hashes are keyed by the folder's secret
//   nvcc VERSION
//   entry LOWERED            one per entry
//   file HASH PATH           one per file that was read
//   folder HASH PATH         one per folder in which files were looked for: the names of the files below it
//                            (an empty line)
//   …                        the PTX
constexpr std::string_view heading = "foldproof-ptx 4 ";
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t largest_file = std::size_t{1} << 30;

/// The hash of a file, cached as long as its inode, size and times are unchanged: all kernels include the
/// toolkit's headers. Nothing if the file cannot be read.
std::optional<std::string> hash_of_file(const std::string& file, const std::string& secret) {
  using Identity = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::pair<Identity, std::string>> remembered;

  struct stat s {};
  if (stat(file.c_str(), &s) != 0) return std::nullopt;
  const Identity identity{s.st_dev,          s.st_ino,         s.st_size,        s.st_mtim.tv_sec,
                          s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec};
  const std::lock_guard lock(mutex);
  auto& [known, hash] = remembered[{secret, file}];
  if (hash.empty() || known != identity) {
    const auto text = read_if_possible(file, largest_file);
    if (!text) return std::nullopt;
    hash = keyed_hash(*text, secret);
    known = identity;
  }
  return hash;
}

bool take_prefix(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

/// The secret in a file; empty unless this user made it: a checkout of a repository, for one, never gives a
/// file this mode.
std::string kept_secret(const fs::path& file) {
  constexpr mode_t own_mode = S_IFREG | S_IRUSR;
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0 || status.st_mode != own_mode || status.st_uid != geteuid())
    return "";
  const std::string secret = read_if_possible(file, secret_bytes).value_or("");
  return secret.size() == secret_bytes ? secret : "";
}

/// The secret of the folder: created by the first process that uses it. Empty if the folder cannot be
/// written; nothing is cached then.
std::string secret_of(const fs::path& folder) {
  const fs::path file = folder / "secret";
  if (std::string known = kept_secret(file); !known.empty()) return known;
  std::string secret(secret_bytes, '\0');
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path made = folder / fmt::format("secret.{}", getpid());
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()) ||
      !replace_file(made, secret))
    return "";
  // Of several processes that create it at the same time, one succeeds.
  fs::permissions(made, fs::perms::owner_read, error);
  fs::create_hard_link(made, file, error);
  fs::remove(made, error);
  if (std::string kept = kept_secret(file); !kept.empty()) return kept;
  fs::remove(file, error);  // damaged: the next process creates it again
  return "";
}

}  // namespace

PtxCache::PtxCache(fs::path folder) : folder_(std::move(folder)), secret_(secret_of(folder_)) {}

fs::path PtxCache::file_of(const std::string& key) const { return folder_ / (key + ".ptx"); }

std::optional<CachedPtx> PtxCache::find(const std::string& key, std::string_view nvcc) const {
  const std::optional<std::string> text = read_if_possible(file_of(key), largest_file);
  if (!text || secret_.empty()) return std::nullopt;
  std::string_view rest = *text;
  std::string_view line = take_line(rest);
  if (!take_prefix(line, heading) || line != hash(rest)) return std::nullopt;

  CachedPtx cached;
  for (line = take_line(rest); !line.empty(); line = take_line(rest)) {
    if (take_prefix(line, "nvcc ")) {
      cached.nvcc = line;
    } else if (take_prefix(line, "entry ")) {
      cached.lowered.emplace_back(line);
    } else {
      const bool is_folder = take_prefix(line, "folder ");
      if (!is_folder && !take_prefix(line, "file ")) return std::nullopt;
      const std::size_t space = line.find(' ');
      if (space == std::string_view::npos) return std::nullopt;
      const std::string path(line.substr(space + 1));
      if ((is_folder ? listing(path) : hash_of_file(path, secret_)) != line.substr(0, space))
        return std::nullopt;
    }
  }
  if (!nvcc.empty() && cached.nvcc != nvcc) return std::nullopt;
  cached.ptx = rest;
  return cached;
}

std::optional<std::string> PtxCache::listing(const std::string& folder, const fs::path& except) const {
  constexpr std::size_t most_names = 50'000;
  std::error_code error;
  std::vector<std::string> names;
  const auto options =
      fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, error), end; !error && it != end;
       it.increment(error)) {
    const fs::path& path = it->path();
    std::error_code unknown;
    const bool is_folder = it->is_directory(unknown);
    if (path.filename() == case_store_folder || path.filename() == ".git" ||
        (is_folder && (path == except || fs::equivalent(path, folder_, unknown)))) {
      it.disable_recursion_pending();
      continue;
    }
    if (names.size() == most_names) return std::nullopt;
    names.push_back(path.string());
  }
  if (error) return std::nullopt;
  std::ranges::sort(names);
  return hash(fmt::format("{}", fmt::join(names, std::string_view("\0", 1))));
}

void PtxCache::keep(const std::string& key, const CachedPtx& ptx, const CompilationInputs& inputs) const {
  if (secret_.empty()) return;
  std::string body = fmt::format("nvcc {}\n", ptx.nvcc);
  for (const std::string& lowered : ptx.lowered) body += fmt::format("entry {}\n", lowered);
  for (const std::string& file : inputs.files) {
    const auto known = hash_of_file(file, secret_);
    std::error_code error;
    if (!known || fs::last_write_time(file, error) > inputs.started)
      return;  // nvcc may have read different bytes
    body += fmt::format("file {} {}\n", *known, file);
  }
  for (const auto& [folder, before] : inputs.folders) {
    const auto names = listing(folder, inputs.temporary);
    if (!names || (!before.empty() && *names != before)) return;
    body += fmt::format("folder {} {}\n", *names, folder);
  }
  body += '\n' + ptx.ptx;
  replace_file(file_of(key), fmt::format("{}{}\n{}", heading, hash(body), body));
}

std::vector<std::string> prerequisites(std::string_view rule) {
  const std::size_t colon = rule.find(": ");
  if (colon == std::string_view::npos) return {};
  std::vector<std::string> files;
  std::string file;
  const auto finish = [&] {
    if (!file.empty()) files.push_back(std::move(file));
    file.clear();
  };
  for (std::size_t i = colon + 1; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      file += next;
      ++i;
    } else if (c == '$' && next == '$') {
      file += '$';
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\t' || (c == '\\' && next == '\n')) {
      finish();
    } else {
      file += c;
    }
  }
  finish();
  return files;
}

}  // namespace foldproof
