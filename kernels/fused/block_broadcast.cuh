// Block reductions that return the total to every thread: the basic step of the operators in this folder.
#pragma once

#include <cstddef>

#include "../element_types.cuh"
#include "../tree/coarsened.cuh"
#include "../warp/block_shuffle.cuh"

/// The total of the block's values, in every thread. May be called again immediately.
template <typename Op, typename T>
__device__ T reduce_and_broadcast(T value) {
  __shared__ T shared_total;
  const T total = reduce_block<Op>(value);
  if (threadIdx.x == 0) shared_total = total;
  __syncthreads();
  return shared_total;  // the barriers of reduce_block precede the next write
}

/// Folds all elements by one block; every thread returns the result.
template <typename Op, typename T>
__device__ Wide<T> fold_and_broadcast(const T* elements, std::size_t count) {
  return reduce_and_broadcast<Op>(fold_block_stride<Op>(elements, count));
}
