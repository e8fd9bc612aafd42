// Which module may include which header: docs/architecture.md's table, and the #include lines that it
// forbids.
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

/// The rows of the Markdown table whose columns are "module", …, "may use". Folders and headers stand in
/// backticks.
std::vector<Module> modules_in(const std::string& markdown);

struct SourceFile {
  std::string path;  ///< from the root of the source tree
  std::string text;
};

/// A sentence for each #include that the table does not allow, unless the includer's module may use that very
/// header:
///   - a header of another module that does not lie directly in that module's folder, and
///   - a header of a module that is not among those that the includer's module may use.
/// A file belongs to the module with the longest folder. A module stands for those inside of it, but for
/// those that share a top folder with the includer.
std::vector<std::string> forbidden_includes(const std::vector<Module>& modules,
                                            const std::vector<SourceFile>& files);

/// A sentence for each file in a top folder that has no module.
std::vector<std::string> files_without_module(const std::vector<Module>& modules,
                                              const std::vector<SourceFile>& files);

}  // namespace foldproof::structure
