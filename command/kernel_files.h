// The files of an audited folder that have kernels, and which of them the contracts of a run do not cover.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/subjects.h"
#include "contracts/declarations.h"
#include "contracts/signature.h"

namespace foldproof {

/// The CUDA C++ and PTX files in or below a folder, and the files that they include. Their text is scanned
/// and not parsed.
class KernelFiles {
 public:
  /// Reads all of them; none if the path is not a folder. `flags`: those that the compiler gets for some
  /// source, in the form of checked_flags(): its include folders and definitions are used.
  KernelFiles(const std::filesystem::path& folder, const std::vector<std::string>& flags);

  /// The files with kernels, themselves or in files that they include, that no contract covers, in
  /// alphabetical order. A file that the compiler read for a contract is covered if each of its kernels is
  /// among those that the compiler found, and each of its templates has an instance there; any other file, if
  /// only a source that was not compiled in this run includes it.
  std::vector<std::string> not_covered_by(const std::vector<Subject>& subjects) const;
  /// All files of the folder that were read.
  std::vector<std::string> all() const;

 private:
  using Path = std::filesystem::path;  ///< without links

  struct Include {
    Path file;
    std::size_t macros;  ///< how many macros of the including file are defined before it
  };

  struct Macro {
    std::string name;
    std::string text;  ///< with the parameters, if it has any
    bool has_parameters() const { return text.starts_with('('); }
  };

  struct File {
    bool has_kernels = false;  ///< or may have them: it is unreadable, or includes a macro
    std::vector<Include> includes = {};
    std::vector<Macro> macros = {};
    std::vector<DeclaredKernel> kernels = {};            ///< except those that macros declare
    std::set<std::string, std::less<>> words = {};       ///< of a file with kernels, outside directives
    bool has_all_words = false;                          ///< false if there are too many
    std::set<std::string, std::less<>> conditions = {};  ///< names in #if and the like
  };

  void read(std::vector<Path> files);
  /// Adds the files that an #include may mean.
  void include(File& file, const Path& by, const std::string& name, bool is_quoted) const;
  void find_kernels();
  struct MacrosOfKernels;
  MacrosOfKernels macros_of_kernels() const;
  /// Those that a file may use: its own, and those of what it includes.
  KernelMacros visible_in(const Path& path, const MacrosOfKernels& macros) const;
  std::map<Path, std::vector<Path>> includers() const;
  /// Adds a file and all that it includes, as the #include directives of the text say.
  void add_included(const Path& file, std::set<Path>& to) const;
  /// What has kernels, itself or in files that it includes, apart from covered files.
  std::set<Path> uncovered(const std::set<Path>& covered) const;
  /// What the compiler found in the sources that read a file.
  struct Found;
  Found found_by(const std::vector<const Subject*>& readers) const;
  /// Whether the compiler found all kernels of a file that it read. `is_named`: a contract names the file, so
  /// that its templates are noted elsewhere.
  bool has_all_kernels(const Path& path, const Found& found, bool is_named) const;
  /// Whether the file defines a macro that changes kernels in a file that it then includes.
  bool varies_kernels(const File& file) const;

  std::map<Path, File> files_;
  std::map<std::string, Path> shown_;                 ///< those in the folder, as shown to the user
  std::map<std::string, std::vector<Path>> by_name_;  ///< the same, by the last component
  std::vector<Path> include_folders_;
  std::vector<Macro> defined_everywhere_;  ///< by flags and by the toolkit
};

}  // namespace foldproof
