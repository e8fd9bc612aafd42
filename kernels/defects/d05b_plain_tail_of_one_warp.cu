// D5: the unrolled last warp of D4 run with a block of 32. Its first step adds slot `thread + 32`, and such a
// block has no slots past 31. Seen wherever the tail was written for 64 threads or more and the block is a
// parameter. Fixed by a test of blockDim.x before that step: tree/warp_tail.cu.
#include <cstddef>

__global__ void plain_tail_of_one_warp(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  if (thread < 32) {
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) {
      slots[thread] += slots[thread + half];  // finding: out-of-bounds shared-race
    }
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
