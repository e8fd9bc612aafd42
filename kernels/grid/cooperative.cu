// C4: one cooperative launch, with a grid barrier between the blocks' folds and the fold of their
// results.
#include <cooperative_groups.h>

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "../warp/block_shuffle.cuh"

// The barrier waits for all blocks, so all must be resident at once: waiting blocks would never free
// resources for others, and a larger launch is refused. The bounds limit a thread to 32 registers, with which
// a multiprocessor always holds 2048 threads.
template <typename Op, typename T>
__global__ void __launch_bounds__(1024, 2)
    cooperative(const T* input, Wide<T>* partials, Wide<T>* result, std::size_t count) {
  // A loop, because the grid is as large as the device allows, whatever the size of the input.
  const Wide<T> total = reduce_block<Op>(fold_grid_stride<Op>(input, count));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
  // Every thread of the grid arrives. It is also a fence: writes before it are visible after it.
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;

  const Wide<T> folded = reduce_block<Op>(fold_block_stride<Op>(partials, gridDim.x));
  if (threadIdx.x == 0) *result = folded;
}
