// H14: AMReX #640. Blocks of a power of two, folded by shuffles of full warps. A block below 32 threads has
// no full warp, and its shuffles read lanes that do not exist. Fixed by masks of the live lanes:
// warp/block_shuffle.cuh.
#include <cstddef>

__device__ float warp_sum(float value) {
  for (unsigned step = 16; step > 0; step /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, step);  // finding: undefined-shuffle-source
  }
  return value;
}

__global__ void block_below_a_warp(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = warp_sum(i < count ? input[i] : 0.0f);
  if (lane == 0) totals[warp] = value;
  __syncthreads();

  if (warp == 0) value = warp_sum(lane < (blockDim.x + 31) / 32 ? totals[lane] : 0.0f);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
