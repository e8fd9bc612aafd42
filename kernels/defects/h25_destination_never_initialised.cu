// H25: CUTLASS #2861. The blocks add their totals to a result that was never set to 0: the first sum starts
// from whatever the memory held, each later one from the sum before. Fixed by zeroing it before every launch:
// tree/block_atomic.toml.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void destination_never_initialised(const int* input, int* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int total = reduce_block<Sum>(i < count ? input[i] : 0);
  if (threadIdx.x == 0) atomicAdd(result, total);  // finding: uninitialized-read
}
