// Thread coarsening: each thread folds many elements in a register before it exchanges values with another. Used by
// A12, at the start of B2, B9, B10 and C1 to C4, and in A13 and C13 for the elements outside their vectors.
#pragma once

#include <cstddef>

#include "../element_types.cuh"

/// The thread's share of an input that the whole grid folds, by a grid-stride loop; the identity if nothing
/// is left for it.
template <typename Op, typename T>
__device__ Wide<T> fold_grid_stride(const T* input, std::size_t count) {
  // The stride is the whole grid: neighbouring threads read neighbouring elements in every round, and any
  // grid serves any count. 64 bits, since the last index plus the stride passes 2^32 long before the memory
  // ends.
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    value = Op::apply(value, widen(input[i]));
  }
  return value;
}

/// The same if a single block folds the input.
template <typename Op, typename T>
__device__ Wide<T> fold_block_stride(const T* input, std::size_t count) {
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) value = Op::apply(value, widen(input[i]));
  return value;
}
