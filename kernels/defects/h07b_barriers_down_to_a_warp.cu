// H7b: Kaldi #3211. The barrier of a round is left out as soon as one warp does the whole round. Since Volta,
// the lanes of a warp also need a barrier, and the compiler may keep slots in registers. Fixed by
// __syncwarp() in those rounds: tree/warp_tail.cu.
#include <cstddef>

__global__ void barriers_down_to_a_warp(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  unsigned half = blockDim.x / 2;
  for (; half > 16; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  for (; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];  // finding: shared-race
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
