// The files of an audited folder that have kernels, and which of them the contracts of a run do not cover.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/subjects.h"
#include "contracts/declarations.h"

namespace foldproof {

/// The CUDA C++ and PTX files in or below a folder, and the files that they include by relative paths, as far
/// as their text reveals them.
class KernelFiles {
 public:
  /// Reads all of them; none if the path is not a folder.
  explicit KernelFiles(const std::filesystem::path& folder);

  /// The files with kernels, themselves or in files that they include, that no contract covers, in
  /// alphabetical order. A contract covers the file that it names, and every file that the compiler reads for
  /// it; but of the kernel templates in the latter, only those with an instance in some compiled source, and
  /// not what another file makes of it by macros. If the source of a contract was not compiled, the #include
  /// directives of its text decide instead.
  std::vector<std::string> not_covered_by(const std::vector<Subject>& subjects) const;

 private:
  using Path = std::filesystem::path;  ///< without links

  struct Include {
    Path file;
    std::size_t macros;  ///< how many macros of the including file are defined before it
  };

  struct File {
    bool has_kernels = false;            ///< or may have them: it is unreadable, or includes a macro
    std::vector<Include> includes = {};  ///< in quotes
    std::vector<std::pair<std::string, std::string>> macros = {};  ///< name and body
    std::vector<DeclaredKernel> templates = {};
    std::set<std::string, std::less<>> words = {};  ///< of a file with kernels, outside directives
    bool has_all_words = false;                     ///< or there are too many
  };

  void read(std::vector<Path> files);
  void find_kernels();
  /// Macros whose text, or that of the macros in it, declares kernels.
  std::set<std::string, std::less<>> kernel_macros() const;
  void add_read_by(const Subject& subject, std::set<Path>& covered) const;
  /// What has kernels, itself or in files that it includes, apart from covered files.
  std::set<Path> uncovered(const std::set<Path>& covered) const;
  /// Whether the file defines a macro that changes kernels in a file that it then includes.
  bool varies_kernels(const File& file) const;

  std::map<Path, File> files_;
  std::map<std::string, Path> found_;  ///< in the folder, as shown to the user
};

}  // namespace foldproof
