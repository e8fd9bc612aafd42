// Compares results in GPU memory, by kernels/compare_bytes.cu.
#pragma once

#include <cstdint>

#include "devices/cuda/context.h"
#include "devices/cuda/module.h"

namespace foldproof {

class ByteComparison {
 public:
  /// `image`: of kernels/compare_bytes.cu.
  ByteComparison(cuda::Context& context, const Image& image);

  /// Whether `bytes` bytes at one address equal those at the other. Waits for the result.
  bool are_equal(Address one, Address other, std::uint64_t bytes);

 private:
  cuda::Context& context_;
  cuda::Module module_;
  LaunchShape shape_{{1, 1, 1}, {512, 1, 1}};
  CUfunc_st* function_;
  cuda::Memory differ_{sizeof(std::uint32_t)};
};

}  // namespace foldproof
