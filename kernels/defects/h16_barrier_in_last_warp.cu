// H16: ArrayFire #633. The warp tail lacked barriers, and the fix put __syncthreads() into it: into a branch
// that only the first warp takes. Meanwhile the other warps continue to the next barrier. Fixed by
// __syncwarp() there, or the barrier outside of the branch: tree/warp_tail.cu.
#include <cstddef>

/// blockDim.x is a power of two from 64.
__global__ void barrier_in_last_warp(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 16; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  if (thread < 32) {
    for (unsigned half = 16; half > 0; half /= 2) {
      if (thread < half) slots[thread] += slots[thread + half];
      __syncthreads();  // finding: barrier-divergence
    }
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
  __syncthreads();  // the slots may be used again
}
