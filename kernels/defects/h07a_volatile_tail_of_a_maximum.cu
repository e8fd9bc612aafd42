// H7a: HeCBench #91, and many more. A helper for the last warp that takes volatile shared memory and relies
// on lockstep; here, fewer lanes work in each step, which makes no difference. Fixed by __syncwarp() after
// each step: tree/warp_tail.cu.
#include <cstddef>

#include "../reduction_operators.cuh"

__device__ void fold_last_warp(volatile float* slots, unsigned lane) {
#pragma unroll
  for (unsigned half = 32; half > 0; half /= 2) {
    if (lane < half) slots[lane] = fmaxf(slots[lane], slots[lane + half]);  // finding: unordered-access
  }
}

/// blockDim.x is a power of two from 64.
__global__ void volatile_tail_of_a_maximum(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : Max::identity<float>();
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (thread < half) slots[thread] = fmaxf(slots[thread], slots[thread + half]);
    __syncthreads();
  }
  if (thread < 32) fold_last_warp(slots, thread);
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
