// D19: the blocks add their totals to a result that was zeroed once, when it was allocated. The first call is
// right, the second returns both sums. Seen where a test calls a kernel only once. Fixed by zeroing before
// every launch: tree/block_atomic.toml resets the result before each call.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void result_not_zeroed(const int* input, int* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int total = reduce_block<Sum>(i < count ? input[i] : 0);
  if (threadIdx.x == 0) atomicAdd(result, total);  // finding: wrong-value
}
