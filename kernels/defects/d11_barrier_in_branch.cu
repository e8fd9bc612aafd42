// D11: __syncthreads() inside of `if (thread < half)`. A barrier must be met by all threads of the block;
// those that have no work in the round pass it by. Seen where a barrier was drawn into the braces of an if.
// Mended by the barrier after the branch: tree/sequential.cuh.
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
