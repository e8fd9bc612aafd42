// The macros by which the files of an audited folder declare kernels.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "command/include_graph.h"
#include "contracts/declarations.h"
#include "contracts/directives.h"

namespace foldproof {

/// The macros whose text leads to __global__, directly or through other macros. They point into the graph.
class MacrosOfKernels {
 public:
  explicit MacrosOfKernels(const IncludeGraph& graph);

  /// Their names.
  std::set<std::string_view> names() const;
  /// Those that a file may use: its own, those of what it includes, and those of flags and of the toolkit.
  KernelMacros visible_in(const IncludeGraph::Path& file) const;

 private:
  const IncludeGraph& graph_;
  std::vector<Macro> of_toolkit_;
  std::set<const Macro*> all_, definers_;  ///< definers: define whole kernels
};

}  // namespace foldproof
