// Test cases that run nvcc. They have the tag [nvcc], so that ctest reports them apart.
#pragma once

#include "contracts/nvcc/toolkit.h"
#include "session.h"

namespace foldproof::tests {

/// Whether nvcc is missing. The running test case is skipped then, and must return.
inline bool lacks_nvcc() {
  if (find_nvcc("")) return false;
  skip("nvcc was not found; install the CUDA Toolkit or set NVCC to its path");
  return true;
}

}  // namespace foldproof::tests
