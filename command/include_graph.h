// The CUDA C++ and PTX files of an audited folder, and which files they include. Their text is scanned and
// not parsed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contracts/directives.h"

namespace foldproof {

class IncludeGraph {
 public:
  using Path = std::filesystem::path;  ///< in the graph, without links

  struct Include {
    Path file;
    std::size_t macros;  ///< how many macros of the including file are defined before it
  };

  struct File {
    Directives directives = {};
    std::vector<Include> includes = {};  ///< every file that an #include may mean
  };

  /// Reads the files in or below the folder, and those that they include; none if the path is not a folder.
  /// `flags`: those that the compiler gets for some source.
  IncludeGraph(const Path& folder, const PreprocessorFlags& flags);

  const std::map<Path, File>& files() const { return files_; }
  /// Those in or below the folder, as shown to the user.
  const std::map<std::string, Path>& shown() const { return shown_; }
  /// The macros that flags may define for a file.
  const std::vector<Macro>& macros_of_flags() const { return flags_.macros; }

  /// Adds a file and all that it includes.
  void add_included(const Path& file, std::set<Path>& to) const;
  /// The same for the files that flags include before each source.
  void add_included_by_flags(std::set<Path>& to) const;
  /// The files that include each file.
  std::map<Path, std::vector<Path>> includers() const;

 private:
  void read(std::vector<Path> files);
  /// The files that an #include may mean: the one next to the file, or else those of the include path of any
  /// source, or else, because other flags may name their folder, those of the audited folder with that name.
  std::vector<Path> meant_by(const IncludedName& name, const Path& includer);

  PreprocessorFlags flags_;
  std::map<Path, File> files_;
  std::map<std::string, Path> shown_;
  std::map<std::string, std::vector<Path>> by_name_;          ///< those in the folder, by the last component
  std::map<std::string, std::vector<Path>> on_include_path_;  ///< results of meant_by() for any includer
};

/// Kinds of files, by the ends of their names.
bool is_ptx(const std::filesystem::path& file);
bool is_cuda(const std::filesystem::path& file);
/// A source that is usually compiled by a host compiler.
bool is_host_source(const std::filesystem::path& file);

/// Without a byte order mark; nothing if the file cannot be read.
std::optional<std::string> source_text(const std::filesystem::path& file);

}  // namespace foldproof
