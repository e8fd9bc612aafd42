// C9-store: cooperative_groups::reduce_store_async, which stores a group's total without waiting.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

namespace cg = cooperative_groups;

/// One partial result per warp; blockDim.x is a multiple of 32.
template <typename Op, typename T>
__global__ void store_async(const T* input, Wide<T>* partials, std::size_t count) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // One lane stores, at a time unknown to the others: a thread that reads the total needs a barrier first.
  cg::reduce_store_async(warp, &partials[i / 32], element_or_identity<Op>(input, i, count),
                         Functor<Op, Wide<T>>{});
}
