// D17: two consecutive reductions on one shared array without a barrier in between. All threads return the
// first total from slot 0; a fast warp of the second call overwrites that slot while a slow one still reads
// it. Seen in every kernel that needs two totals per block. Fixed by a barrier after the last read.
#include <cstddef>

/// Every thread returns the total. blockDim.x is a power of two.
__device__ float block_sum(float value, float* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;  // finding: shared-race
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  return slots[0];
}

__global__ void scratch_reused(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  const float lower = block_sum(i < count ? input[i] : 0.0f, slots);
  const float upper = block_sum(i + blockDim.x < count ? input[i + blockDim.x] : 0.0f, slots);
  if (threadIdx.x == 0) partials[blockIdx.x] = lower + upper;
}
