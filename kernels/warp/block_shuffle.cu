// B7: a block folds by shuffles in each warp, then the first warp folds the warps' totals. Any block size.
#include "block_shuffle.cuh"

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

template <typename Op, typename T>
__global__ void block_shuffle(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Threads past the end contribute the identity instead of returning: the shuffles name their lanes.
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
