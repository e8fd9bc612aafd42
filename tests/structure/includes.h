// Which module may include which header: the table in docs/architecture.md, and the #include lines that
// violate it.
#pragma once

#include <string>
#include <vector>

namespace foldproof::structure {

/// A row of the table.
struct Module {
  std::string folder;                ///< "devices/cuda/"
  bool may_use_all = false;          ///< the cell begins with "all"
  std::vector<std::string> may_use;  ///< folders of modules, and single headers
};

/// The rows of the Markdown table whose columns are "module", …, "may use". Folders and headers are in
/// backticks.
std::vector<Module> modules_in(const std::string& markdown);

struct SourceFile {
  std::string path;  ///< relative to the root of the source tree
  std::string text;
};

/// One sentence for each #include that the table forbids. Unless the includer's module may use that header by
/// name, these are forbidden:
///   - a header of another module that is not directly in that module's folder, and
///   - a header of a module that the includer's module may not use.
/// A file belongs to the module with the longest matching folder. A module includes the modules nested in it,
/// except those that share a top folder with the includer.
std::vector<std::string> forbidden_includes(const std::vector<Module>& modules,
                                            const std::vector<SourceFile>& files);

/// One sentence for each file in a top folder that has no module.
std::vector<std::string> files_without_module(const std::vector<Module>& modules,
                                              const std::vector<SourceFile>& files);

}  // namespace foldproof::structure
