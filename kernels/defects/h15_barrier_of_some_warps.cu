// H15: llama.cpp #13438. Warps without an element skip the branch and the barrier in it, at which the others
// wait; the next barrier that they reach is used instead. Fixed by moving the barrier out of the branch.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// blockDim.x is a multiple of 32.
__global__ void barrier_of_some_warps(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x;
  const std::size_t i = first + threadIdx.x;
  if (first + 32 * warp < count) {
    const float value = reduce_warp<Sum>(i < count ? input[i] : 0.0f, 32);
    if (lane == 0) totals[warp] = value;
    __syncthreads();  // finding: barrier-divergence
  }

  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned w = 0; w < blockDim.x / 32 && first + 32 * w < count; ++w) total += totals[w];
    partials[blockIdx.x] = total;
  }
  __syncthreads();  // the totals may be used again
}
