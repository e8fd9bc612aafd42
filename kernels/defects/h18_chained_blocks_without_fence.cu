// H18: Kokkos #2681. A scan across blocks: each waits for a flag of the previous block and adds that block's
// prefix to its own total. Nothing orders the prefix before the flag: the flag may be visible before the
// prefix. Fixed by a fence on either side: repaired/chained_blocks.cu.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `ready` is 0 before every launch. Blocks start in order, so that the previous one is always running or done.
__global__ void chained_blocks_without_fence(const float* input, float* prefixes, volatile unsigned* ready,
                                             float* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x != 0) return;

  float prefix = total;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) continue;
    prefix += prefixes[blockIdx.x - 1];  // finding: global-race
  }
  prefixes[blockIdx.x] = prefix;
  ready[blockIdx.x] = 1;
  if (blockIdx.x == gridDim.x - 1) *result = prefix;
}
