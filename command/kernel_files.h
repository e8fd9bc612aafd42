// The files of an audited folder that have kernels, and which of them the contracts of a run do not cover.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "command/subjects.h"

namespace foldproof {

/// The CUDA C++ and PTX files in or below a folder, and the files that they include by relative paths, as far
/// as their text reveals them.
class KernelFiles {
 public:
  /// Reads all of them; none if the path is not a folder.
  explicit KernelFiles(const std::filesystem::path& folder);

  /// The files with kernels, themselves or in files that they include, that no contract covers, in
  /// alphabetical order. A contract covers the file that it names, and every file that the compiler reads for
  /// it; but of the kernel templates in the latter, only those with an instance in some compiled source. If
  /// the source of a contract was not compiled, the #include directives of its text decide instead.
  std::vector<std::string> not_covered_by(const std::vector<Subject>& subjects) const;

 private:
  using Path = std::filesystem::path;  ///< without links

  struct File {
    bool has_kernels = false;                 ///< or may have them: it cannot be read, or includes a macro
    std::vector<std::string> templates = {};  ///< names of the kernel templates that it declares
    std::vector<Path> includes = {};
  };

  static File examined(const Path& path);
  void follow_includes(std::vector<Path> from);
  void add_read_by(const Subject& subject, std::set<Path>& covered) const;
  /// What has kernels, itself or in files that it includes, apart from covered files.
  std::set<Path> uncovered(const std::set<Path>& covered) const;

  std::map<Path, File> files_;
  std::map<std::string, Path> found_;  ///< in the folder, as shown to the user
};

}  // namespace foldproof
