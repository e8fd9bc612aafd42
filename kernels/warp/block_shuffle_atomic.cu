// B9: a grid-stride loop, the shuffle reduction of a block, and one atomic a block: the common reduction of
// today.
#include <cstddef>

#include "../atomic_operators.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_shuffle.cuh"

/// `result` holds the identity before every launch.
template <typename Op, typename T>
__global__ void block_shuffle_atomic(const T* input, Wide<T>* result, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    value = Op::apply(value, widen(input[i]));
  }

  const Wide<T> total = reduce_block<Op>(value);
  // The loop makes the grid as small as the device is wide, so this is a few hundred atomics for any count.
  // Their order is open: a float sum may differ in its last bits from run to run.
  if (threadIdx.x == 0) atomic_apply(Op{}, result, total);
}
