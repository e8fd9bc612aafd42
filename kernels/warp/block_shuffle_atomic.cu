// B9: a grid-stride loop, the shuffle reduction of a block, and one atomic per block: the usual reduction
// today.
#include <cstddef>

#include "../atomic_operators.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "block_shuffle.cuh"

/// `result` holds the identity before every launch.
template <typename Op, typename T>
__global__ void block_shuffle_atomic(const T* input, Wide<T>* result, std::size_t count) {
  const Wide<T> value = fold_grid_stride<Op>(input, count);

  const Wide<T> total = reduce_block<Op>(value);
  // The loop makes the grid as small as the device is wide, so this is a few hundred atomics for any count.
  // Their order is unspecified: a float sum may differ in its last bits from run to run.
  if (threadIdx.x == 0) atomic_apply(Op{}, result, total);
}
