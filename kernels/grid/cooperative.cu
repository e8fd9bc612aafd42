// C4: one cooperative launch, in which a barrier of the whole grid stands between the blocks' folds and the
// fold of their partials.
#include <cooperative_groups.h>

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

// The barrier waits for all blocks, so all must be resident at once, else those that wait would never make
// room for the others: the launch is refused. The bounds leave a thread 32 registers, with which a
// multiprocessor holds its 2048 threads for certain.
template <typename Op, typename T>
__global__ void __launch_bounds__(1024, 2)
    cooperative(const T* input, Wide<T>* partials, Wide<T>* result, std::size_t count) {
  // A loop, because the grid is as large as the device and not as large as the input.
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    value = Op::apply(value, widen(input[i]));
  }

  value = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
  // Every thread of the grid arrives. It is a fence too: what was written before it is seen behind it.
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;

  value = Op::template identity<Wide<T>>();
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) value = Op::apply(value, partials[i]);
  value = reduce_block<Op>(value);
  if (threadIdx.x == 0) *result = value;
}
