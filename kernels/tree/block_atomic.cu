// A10: a tree in each block, then one atomic per block: the whole reduction in one launch.
#include <cstddef>

#include "../atomic_operators.cuh"
#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "sequential.cuh"

/// `result` holds the identity before every launch: what an earlier one left there would be folded in.
template <typename Op, typename T>
__global__ void block_atomic(const T* input, Wide<T>* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_sequential<Op>(value, dynamic_shared<Wide<T>>());
  // A plain `*result += total` would lose the blocks that read the same old value. The atomic's order is
  // unspecified, so a float sum may differ in its last bits from run to run.
  if (threadIdx.x == 0) atomic_apply(Op{}, result, total);
}
