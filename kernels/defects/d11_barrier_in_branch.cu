// D11: __syncthreads() inside `if (thread < half)`. All threads of the block must reach a barrier; those
// without work in the round skip it. Seen where a barrier was moved into the braces of an if. Fixed by the
// barrier after the branch: tree/sequential.cuh.
#include <cstddef>

__global__ void barrier_in_branch(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) {
      slots[thread] += slots[thread + half];
      __syncthreads();  // finding: barrier-divergence
    }
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
