#include "contracts/nvcc/cache.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/files.h"
#include "base/text.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

// A cached file, line by line:
//   foldproof-ptx 5 HASH     of the key and of everything below; all hashes are keyed by the folder's secret
//   entry LOWERED            one per entry
//                            (an empty line)
//   …                        the PTX
constexpr std::string_view heading = "foldproof-ptx 5 ";
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t largest_file = std::size_t{1} << 30;

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

fs::path PtxCache::file_of_mark(const std::string& mark) const { return folder_ / (mark + ".mark"); }

bool PtxCache::is_marked(const std::string& mark) const {
  std::error_code error;
  return fs::exists(file_of_mark(mark), error);
}

void PtxCache::mark(const std::string& mark) const {
  if (!secret_.empty()) replace_file(file_of_mark(mark), "");
}

std::string PtxCache::seal(const std::string& key, std::string_view body) const {
  return hash(fmt::format("{}\n{}", key, body));
}

std::optional<CachedPtx> PtxCache::find(const std::string& key) const {
  const std::optional<std::string> text = read_if_possible(file_of(key), largest_file);
  if (!text || secret_.empty()) return std::nullopt;
  std::string_view rest = *text;
  std::string_view line = take_line(rest);
  if (!take_prefix(line, heading) || line != seal(key, rest)) return std::nullopt;

  CachedPtx cached;
  for (line = take_line(rest); !line.empty(); line = take_line(rest)) {
    if (!take_prefix(line, "entry ")) return std::nullopt;
    cached.lowered.emplace_back(line);
  }
  cached.ptx = rest;
  return cached;
}

void PtxCache::keep(const std::string& key, const CachedPtx& ptx) const {
  if (secret_.empty()) return;
  std::string body;
  for (const std::string& lowered : ptx.lowered) body += fmt::format("entry {}\n", lowered);
  body += '\n' + ptx.ptx;
  replace_file(file_of(key), fmt::format("{}{}\n{}", heading, seal(key, body), body));
}

}  // namespace foldproof
