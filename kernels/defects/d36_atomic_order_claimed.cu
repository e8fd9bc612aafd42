// D36: the totals of the blocks added up by floating-point atomics, in whatever order the blocks finish,
// while the sum is claimed to be the same every time. It is within its bound, but its last bits differ from
// run to run; it is noticed when a training run cannot be reproduced. Fixed by partial sums that one block
// folds in a fixed order (grid/two_level.cu), by an exact sum (careful/exact.cu), or by a claim that is true.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `*result` is 0 before every launch.
__global__ void atomic_order_claimed(const float* input, float* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(result, total);  // finding: schedule-dependent
}
