// D31b: space for the totals of eight warps, run with more: the ninth warp writes past the array. Seen in
// reductions that were written for blocks of 256. Fixed by 32 slots, since no block has more warps:
// warp/block_shuffle.cuh.
#include <cstddef>

// Lane 0 returns the total of the warp, all of whose lanes call.
__device__ float warp_sum(float value) {
  for (unsigned step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

__global__ void eight_warp_totals(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = warp_sum(i < count ? input[i] : 0.0f);
  if (lane == 0) totals[warp] = value;  // finding: out-of-bounds
  __syncthreads();

  if (warp == 0) value = warp_sum(lane < warps ? totals[lane] : 0.0f);  // finding: out-of-bounds
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
