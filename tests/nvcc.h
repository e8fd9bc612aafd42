// For test cases that run nvcc. They have the tag [nvcc], so that ctest reports them as a separate entry.
#pragma once

#include "contracts/nvcc/toolkit.h"
#include "session.h"

namespace foldproof::tests {

/// Whether nvcc is missing. If so, the running test case is marked as skipped and must return.
inline bool lacks_nvcc() {
  if (find_nvcc("")) return false;
  skip("nvcc was not found; install the CUDA Toolkit or set NVCC to its path");
  return true;
}

}  // namespace foldproof::tests
