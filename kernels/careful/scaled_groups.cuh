// Floats of 4 bits, a byte each, in groups that share a scale: folded per group, scaled, folded.
#pragma once

#include <cuda_fp4.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// Sixteen elements, read by one load.
struct alignas(16) Sixteen {
  __nv_fp4_e2m1 element[16];
};

/// The sum of the elements of one group, times its scale. The elements are multiples of a half up to 6, so
/// the group's sum is not rounded, and neither is its product with a scale that is a power of two: one
/// multiplication per group, not one per element.
template <unsigned group>
__device__ float group_sum(const __nv_fp4_e2m1* elements, std::size_t count, float scale) {
  float sum = 0;
  if (count >= group) {
#pragma unroll
    for (unsigned part = 0; part < group / 16; ++part) {
      const Sixteen loaded = reinterpret_cast<const Sixteen*>(elements)[part];
#pragma unroll
      for (unsigned k = 0; k < 16; ++k) sum += static_cast<float>(loaded.element[k]);
    }
  } else {
    for (std::size_t k = 0; k < count; ++k) sum += static_cast<float>(elements[k]);
  }
  return sum * scale;
}

/// The input is aligned to 16 bytes; the last group may be short.
template <unsigned group, typename Scale>
__device__ void sum_groups(const __nv_fp4_e2m1* input, const unsigned char* scales, float* partials,
                           std::size_t count, Scale scale_of) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t groups = (count + group - 1) / group;
  float value = 0;
  for (std::size_t g = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; g < groups; g += stride) {
    value += group_sum<group>(input + group * g, count - group * g, scale_of(scales[g]));
  }

  const float total = reduce_block<Sum>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
