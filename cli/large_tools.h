// What `audit --large` needs besides the kernels: the exact sum, and what makes inputs.
#pragma once

#include <vector>

#include "cli/campaign.h"
#include "cli/console.h"
#include "cli/subjects.h"
#include "contracts/compile.h"
#include "properties/large/large_audit.h"

namespace foldproof {

/// Throws InputError where none of them is served.
void check_some_are_large(const std::vector<Assignment>& assignments);

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
