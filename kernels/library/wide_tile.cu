// C14: cooperative_groups::reduce on tiles wider than a warp, 64, 128 or 256 threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

namespace cg = cooperative_groups;

/// One partial result per tile; blockDim.x is a multiple of `width`, and 1024 at most.
template <typename Op, typename T, unsigned width>
__global__ void wide_tile(const T* input, Wide<T>* partials, std::size_t count) {
  // Warps cannot shuffle with each other: their totals are exchanged through this memory, with barriers that
  // are in it too. All threads of the block lay it out, before the first tile is made.
  __shared__ cg::block_tile_memory<1024> scratch;
  const auto tile = cg::tiled_partition<width>(cg::this_thread_block(scratch));

  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Wide<T> value = element_or_identity<Op>(input, i, count);
  const Wide<T> total = cg::reduce(tile, value, Functor<Op, Wide<T>>{});
  if (tile.thread_rank() == 0) partials[i / width] = total;
}
