// C1: two launches of one kernel. The first leaves one partial result per block, the second, of one block,
// folds the partials.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "../warp/block_shuffle.cuh"

/// The end of the first launch is the only grid barrier that is needed, and no result depends on which block
/// finishes first: the same launch gives the same bits every time.
template <typename Op, typename T>
__global__ void block_totals(const T* input, Wide<T>* totals, std::size_t count) {
  // A loop, so that the one block of the second launch folds any number of partials, not only as many as it
  // has threads.
  const Wide<T> value = fold_grid_stride<Op>(input, count);

  const Wide<T> total = reduce_block<Op>(value);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}
