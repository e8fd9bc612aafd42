// D7: the warps' totals are folded by as many threads as there are warps, under a mask that names 32 lanes.
// The lanes above have nothing to add, but the shuffle still reads them, although they do not take part. Seen
// where the guard of the load was widened to the shuffles. Fixed by identities in the idle lanes, or a mask
// of `warps` lanes: warp/block_shuffle.cuh.
#include <cstddef>

// Lane 0 returns the total of the warp, all of whose lanes call.
__device__ float warp_sum(float value) {
  for (unsigned step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

__global__ void final_shuffle_in_some_lanes(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned thread = threadIdx.x, warps = blockDim.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  float value = warp_sum(i < count ? input[i] : 0.0f);
  if (thread % 32 == 0) totals[thread / 32] = value;
  __syncthreads();

  if (thread < warps) {
    value = totals[thread];
    for (unsigned step = 16; step > 0; step /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, step);  // finding: undefined-shuffle-source
    }
  }
  if (thread == 0) partials[blockIdx.x] = value;
}
