// H18 repaired: a scan across blocks in one launch. Each block waits for a flag of the previous block and
// adds that block's prefix to its own total; the last prefix is the result.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `ready` is 0 before every launch. Blocks rely on the previous block having started, which devices ensure
/// but CUDA does not guarantee; a block that takes its number from an atomic ticket when it starts needs no
/// such order.
__global__ void chained_blocks(const float* input, float* prefixes, volatile unsigned* ready, float* result,
                               std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x != 0) return;

  float prefix = total;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) continue;
    __threadfence();  // acquire: a thread that has observed the flag also observes the prefix
    prefix += prefixes[blockIdx.x - 1];
  }
  prefixes[blockIdx.x] = prefix;
  __threadfence();  // release
  ready[blockIdx.x] = 1;
  if (blockIdx.x == gridDim.x - 1) *result = prefix;
}
