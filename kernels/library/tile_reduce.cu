// C8-tile: cooperative_groups::reduce on tiles of 32, 16 or 8 lanes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

namespace cg = cooperative_groups;

/// One partial result per tile; blockDim.x is a multiple of `width`.
template <typename Op, typename T, unsigned width>
__global__ void tile_reduce(const T* input, Wide<T>* partials, std::size_t count) {
  const auto tile = cg::tiled_partition<width>(cg::this_thread_block());
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // A tile's size is part of its type, so all its lanes take part, including those past the end.
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  // A butterfly: every lane has the total. Integers under cg::plus, less or greater, instead of our functor,
  // would be folded by one instruction.
  const Wide<T> total = cg::reduce(tile, value, Functor<Op, Wide<T>>{});
  if (tile.thread_rank() == 0) partials[i / width] = total;
}
