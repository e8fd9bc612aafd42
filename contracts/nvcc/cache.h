// PTX kept by content: valid as long as every file that the compilation read still has the same bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct CachedPtx {
  std::string nvcc;                  ///< the version that made it
  std::vector<std::string> lowered;  ///< one for each entry asked for
  std::string ptx;
};

/// A folder with one file a key. Any number of processes may use it at once: a file is written whole or not
/// at all, and one that is damaged or stale counts as absent.
class PtxCache {
 public:
  explicit PtxCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The PTX of that key, if the files it came from are unchanged and `nvcc` (where not empty) made it.
  std::optional<CachedPtx> find(const std::string& key, std::string_view nvcc) const;
  /// Where the program of that key is kept, which its PTX then names by the hash of what it holds.
  std::filesystem::path program_of(const std::string& key) const { return folder_ / (key + ".program"); }

  /// Keeps the PTX with the hashes of `files`, unless one of them changed since the compilation started.
  /// A folder that cannot be written is no error.
  void keep(const std::string& key, const CachedPtx& ptx, const std::vector<std::string>& files,
            std::filesystem::file_time_type started) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
};

/// The files that a compilation read, from the make rule that nvcc -MD writes: its prerequisites, with make's
/// escapes undone.
std::vector<std::string> prerequisites(std::string_view rule);

}  // namespace foldproof
