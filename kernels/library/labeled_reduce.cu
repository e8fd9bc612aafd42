// C8-labeled: cooperative_groups::reduce on the lanes of a warp that have the same label, here the row of
// their element: rows may have any length and begin anywhere in a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

#include "../atomic_operators.cuh"
#include "../element_types.cuh"
#include "functor.cuh"

namespace cg = cooperative_groups;

/// `results`, one per row, hold the identity before the launch; blockDim.x is a multiple of 32.
template <typename Op, typename T>
__global__ void labeled_reduce(const T* input, Wide<T>* results, std::size_t columns, std::size_t count) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Every lane of the warp must have a label, so lanes past the end use one that no row has.
  const std::size_t row = i < count ? i / columns : ~std::size_t{0};
  const auto same = cg::labeled_partition(warp, row);

  const Wide<T> total = cg::reduce(same, element_or_identity<Op>(input, i, count), Functor<Op, Wide<T>>{});
  // A long row has many groups, in several warps.
  if (same.thread_rank() == 0 && i < count) atomic_apply(Op{}, &results[row], total);
}
