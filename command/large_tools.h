// What sums of gigabytes need besides the kernels: the exact sum, and what makes inputs.
#pragma once

#include <vector>

#include "command/console.h"
#include "command/subjects.h"
#include "contracts/compile.h"
#include "properties/large_audit.h"

namespace foldproof {

class LargeTools {
 public:
  /// Compiles E5 of the catalogue, kernels/large_inputs.cu and kernels/compare_bytes.cu. Of the options their
  /// compiler and machine count: what a user's kernels are built with could round what is to be exact.
  LargeTools(const CompileOptions& options, const Console& console);

  const LargeAuditTools& tools() const { return tools_; }

 private:
  std::vector<Subject> exact_;
  LargeAuditTools tools_;
};

}  // namespace foldproof
