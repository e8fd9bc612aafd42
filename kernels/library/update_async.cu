// C9-update: cooperative_groups::reduce_update_async, which folds a group's total into an atomic without
// waiting.
#include <cuda/atomic>
// Must precede the headers below, which otherwise omit the forms with an atomic.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

namespace cg = cooperative_groups;

/// `result` holds the identity before the launch; blockDim.x is a multiple of 32.
template <typename Op, typename T>
__global__ void update_async(const T* input, Wide<T>* result, std::size_t count) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cuda::atomic_ref<Wide<T>, cuda::thread_scope_device> total(*result);
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // No lane receives the total. The library has no atomic for our functor: it repeats a compare-and-swap
  // until no other warp interferes.
  cg::reduce_update_async(warp, total, element_or_identity<Op>(input, i, count), Functor<Op, Wide<T>>{});
}
