// PTX cached by content: an entry is valid as long as every file that the compilation read has the same
// bytes.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace foldproof {

struct CachedPtx {
  std::string nvcc;                  ///< the version that compiled it
  std::vector<std::string> lowered;  ///< one per requested entry
  std::string ptx;                   ///< or machine code made from it
};

/// What a compilation depends on.
struct CompilationInputs {
  std::vector<std::string> files;  ///< that were read
  /// The folders in which files were looked for, because a new file may be found instead. With the listing of
  /// each before the compilation; empty if the folder was not known then.
  std::map<std::string, std::string> folders;
  std::filesystem::file_time_type started;
  std::filesystem::path temporary = {};  ///< its own folder, which is gone when it has ended
};

/// A folder with one file per key. Several processes may use it at the same time: files are written
/// atomically, and a damaged or stale file counts as absent, as does a file of another cache: the hash in
/// each file includes a random secret of the folder.
class PtxCache {
 public:
  explicit PtxCache(std::filesystem::path folder);

  /// The PTX of that key, if its inputs are unchanged (the content of files, and the names of all files below
  /// the folders) and `nvcc` (unless empty) compiled it.
  std::optional<CachedPtx> find(const std::string& key, std::string_view nvcc) const;
  /// The hash of a content, keyed by the folder's secret: for keys, and for contents outside the cached file.
  std::string hash(std::string_view content) const { return keyed_hash(content, secret_); }
  /// The hash of the names of all files below the folder, except this cache, stored cases and `except`;
  /// nothing if they are too many.
  std::optional<std::string> listing(const std::string& folder,
                                     const std::filesystem::path& except = {}) const;
  /// Where the program of that key is stored; the cached `ptx` is then the hash of its content.
  std::filesystem::path program_of(const std::string& key) const { return folder_ / (key + ".program"); }

  /// Stores the PTX with hashes of its inputs, unless one of them changed after the compilation started or a
  /// folder holds too many files. A cache that cannot be written is not an error.
  void keep(const std::string& key, const CachedPtx& ptx, const CompilationInputs& inputs) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::string secret_;
};

/// The files that a compilation read: the prerequisites of the make rule that nvcc -MD writes, unescaped.
std::vector<std::string> prerequisites(std::string_view rule);

}  // namespace foldproof
