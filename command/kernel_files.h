// The files of an audited folder that have kernels, and which of them the contracts of a run do not cover.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "command/include_graph.h"
#include "command/subjects.h"
#include "contracts/declarations.h"

namespace foldproof {

class KernelFiles {
 public:
  /// Reads all files with kernels in or below a folder; none if the path is not a folder. `flags`: those that
  /// the compiler gets for some source, in the form of checked_flags().
  KernelFiles(const std::filesystem::path& folder, const std::vector<std::string>& flags);

  /// The files with kernels, themselves or in files that they include, that no contract covers, in
  /// alphabetical order. A file that the compiler read for a contract is covered if each of its kernels is
  /// among those that the compiler found, and each of its templates has an instance there; any other file, if
  /// only a source that was not compiled in this run includes it.
  std::vector<std::string> not_covered_by(const std::vector<Subject>& subjects) const;
  /// All files of the folder that were read.
  std::vector<std::string> all() const;

 private:
  using Path = IncludeGraph::Path;

  struct Kernels {
    std::vector<DeclaredKernel> declared = {};      ///< except those that macros declare
    std::set<std::string, std::less<>> words = {};  ///< of the file, outside directives or in conditions
    bool has_all_words = false;                     ///< false if there are too many
  };

  void find_kernels();
  std::set<Path> uncovered(const std::set<Path>& covered) const;
  struct Found;
  Found found_by(const std::vector<const Subject*>& readers) const;
  bool has_all_kernels(const Path& path, const Found& found, bool is_named) const;
  bool varies_kernels(const Path& path) const;

  IncludeGraph graph_;
  std::map<Path, Kernels> kernels_;  ///< of the files that have kernels, or may have: if they are unreadable
};

}  // namespace foldproof
