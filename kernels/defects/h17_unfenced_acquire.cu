// H17: PyTorch #128455. The last-block pattern with a fence before the ticket and none after it. The partial
// results of the other blocks are visible, but the last block may have read its own, stale view of them
// before it took the ticket. Fixed by the second fence: grid/last_block.cu.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void unfenced_acquire(const float* input, float* partials, unsigned* ticket, float* result,
                                 std::size_t count) {
  __shared__ bool last;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;

  total = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    total += partials[block];  // finding: global-race
  }
  total = reduce_block<Sum>(total);
  if (threadIdx.x == 0) *result = total;
}
