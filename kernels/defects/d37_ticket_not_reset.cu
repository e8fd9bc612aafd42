// D37: the last block adds up the partial results, but the ticket is never reset. The first call is right; in later
// calls no block draws the last ticket, and the result is not written. Seen in copies of threadFenceReduction without
// "retirementCount = 0". A test that does not clear the result between calls passes, because it still holds the first
// call's value. Fixed by atomicInc, which wraps to 0: grid/last_block.cu.
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
