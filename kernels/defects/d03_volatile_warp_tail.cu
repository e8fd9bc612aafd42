// D3: the last warp unrolled over volatile shared memory without warp barriers: common when warps ran in
// lockstep. Since Volta, lanes need not, and volatile does not order their accesses: a lane may read a slot
// before or after the intended step. Fixed by __syncwarp(): tree/warp_tail.cu.
#include <cstddef>

__global__ void volatile_warp_tail(const float* input, float* partials, std::size_t count) {
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
    volatile float* tail = slots;
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) {
      tail[thread] = tail[thread] + tail[thread + half];  // finding: unordered-access
    }
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
