// D6: the last stage shuffles in thread 0 alone, under a mask that names the whole warp. The other lanes do
// not take part, so the values read from them are undefined. Seen where `if (thread == 0)` was put around the
// whole last stage instead of around the store. Fixed by letting the first warp take part:
// warp/block_shuffle.cuh.
#include <cstddef>

// Lane 0 returns the total of the warp, all of whose lanes call.
__device__ float warp_sum(float value) {
  for (unsigned step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

__global__ void final_shuffle_in_one_thread(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned thread = threadIdx.x, warps = blockDim.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  float value = warp_sum(i < count ? input[i] : 0.0f);
  if (thread % 32 == 0) totals[thread / 32] = value;
  __syncthreads();

  if (thread == 0) {
    value = thread < warps ? totals[thread] : 0.0f;
    for (unsigned step = 16; step > 0; step /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, step);  // finding: undefined-shuffle-source
    }
    partials[blockIdx.x] = value;
  }
}
