// A block reduction whose total every thread has: the step that the operators of this folder are made of.
#pragma once

#include "../warp/block_shuffle.cuh"

/// The total of the block's values, in every thread. May be called again at once.
template <typename Op, typename T>
__device__ T reduce_and_broadcast(T value) {
  __shared__ T shared_total;
  const T total = reduce_block<Op>(value);
  if (threadIdx.x == 0) shared_total = total;
  __syncthreads();
  return shared_total;  // before a next call writes it again there are the barriers of reduce_block
}
