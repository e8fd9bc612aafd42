// D37: the last block folds all partial results, but nobody resets the ticket. The first call is right; in each
// further call no block draws the last ticket, and the result is whatever its memory held. Seen in copies of
// threadFenceReduction that lost "retirementCount = 0". A test that reuses the result's memory passes: it still
// holds the first call's result. Fixed by atomicInc, which wraps to 0: grid/last_block.cu.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__device__ unsigned ticket = 0;

__global__ void ticket_not_reset(const float* input, float* partials, float* result, std::size_t count) {
  __shared__ bool last;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    __threadfence();
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;  // finding: wrong-value, not-reproducible?
    __threadfence();
  }
  __syncthreads();
  if (!last) return;

  total = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    total += partials[block];
  }
  total = reduce_block<Sum>(total);
  if (threadIdx.x == 0) *result = total;
}
