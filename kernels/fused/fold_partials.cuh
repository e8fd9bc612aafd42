// The second launch of the kernels here that leave one partial result per block.
#pragma once

#include <cstddef>

#include "../tree/coarsened.cuh"
#include "../warp/block_shuffle.cuh"

/// One block folds any number of partials, in an order that depends on nothing but their number and its own.
template <typename Op, typename W>
__global__ void fold_partials(const W* partials, W* result, std::size_t count) {
  const W value = reduce_block<Op>(fold_block_stride<Op>(partials, count));
  if (threadIdx.x == 0) *result = value;
}
