// D4: the last warp unrolled without warp barriers and without volatile. The compiler may also keep a slot in
// a register from step to step, and on current GPUs the value is wrong. Seen where volatile was removed as
// obsolete. Fixed by __syncwarp(): tree/warp_tail.cu.
#include <cstddef>

__global__ void plain_warp_tail(const float* input, float* partials, std::size_t count) {
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
      slots[thread] += slots[thread + half];  // finding: shared-race
    }
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
