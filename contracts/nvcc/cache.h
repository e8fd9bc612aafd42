// PTX cached by what the compiler reads: the key is a hash of the preprocessed source and of everything else
// that determines the output, so that an entry is never stale.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace foldproof {

struct CachedPtx {
  std::vector<std::string> lowered;  ///< one per requested entry
  std::string ptx;                   ///< or machine code made from it
};

/// A folder with one file per key. Several processes may use it at the same time: files are written
/// atomically, and a damaged file counts as absent, as does a file of another cache: the hash in each file
/// includes a random secret of the folder.
class PtxCache {
 public:
  explicit PtxCache(std::filesystem::path folder);

  std::optional<CachedPtx> find(const std::string& key) const;
  /// A cache that cannot be written is not an error.
  void keep(const std::string& key, const CachedPtx& ptx) const;
  /// Whether mark() was called with that text, which is part of a file's name. A mark is a hint: it may be
  /// missing, or be left by anyone who can write to the folder.
  bool is_marked(const std::string& mark) const;
  void mark(const std::string& mark) const;
  /// The hash of a content, keyed by the folder's secret: for keys.
  std::string hash(std::string_view content) const { return keyed_hash(content, secret_); }

 private:
  std::filesystem::path file_of(const std::string& key) const;
  std::filesystem::path file_of_mark(const std::string& mark) const;
  /// The hash in the file of that key.
  std::string seal(const std::string& key, std::string_view body) const;

  std::filesystem::path folder_;
  std::string secret_;
};

}  // namespace foldproof
