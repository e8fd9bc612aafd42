// The kernels for audits with large inputs: the exact sum, the input maker and the comparison.
#pragma once

#include <vector>

#include "command/console.h"
#include "command/subjects.h"
#include "contracts/compile.h"
#include "properties/large_audit.h"

namespace foldproof {

class LargeTools {
 public:
  /// Compiles E5 of the catalogue, kernels/large_inputs.cu and kernels/compare_bytes.cu. Of the options, only
  /// their compiler and machine apply: flags for a user's kernels could introduce rounding.
  LargeTools(const CompileOptions& options, const Console& console);

  const LargeAuditTools& tools() const { return tools_; }

 private:
  std::vector<Subject> exact_;
  LargeAuditTools tools_;
};

}  // namespace foldproof
