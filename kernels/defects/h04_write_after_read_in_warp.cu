// H4: PyTorch #20182, its softmax. The lanes of the first warp add up 32 slots each and write their sums over
// the first slots, which lane 0 may still be reading: even inside a warp, no lane waits for another. Fixed by
// __syncwarp() before the sums are written.
#include <cstddef>

/// blockDim.x is a multiple of 32.
__global__ void write_after_read_in_warp(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x, warps = blockDim.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  if (thread < warps) {
    float sum = 0.0f;
    for (unsigned k = 0; k < 32; ++k) sum += slots[32 * thread + k];
    slots[thread] = sum;  // finding: shared-race
  }
  __syncthreads();

  if (thread == 0) {
    float total = 0.0f;
    for (unsigned warp = 0; warp < warps; ++warp) total += slots[warp];
    partials[blockIdx.x] = total;
  }
}
