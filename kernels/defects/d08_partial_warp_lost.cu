// D8: a block whose size is not a multiple of 32. The number of warps is rounded down, so the total of the
// last, partial warp is lost; and the shuffles of that warp read lanes that do not exist. Seen in block
// reductions that were only ever run with 256 threads. Fixed by rounding up and by masks of the live lanes:
// warp/block_shuffle.cuh.
#include <cstddef>

__device__ float warp_sum(float value) {
  for (unsigned step = 16; step > 0; step /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, step);  // finding: undefined-shuffle-source
  }
  return value;
}

__global__ void partial_warp_lost(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warps = blockDim.x / 32;  // finding: wrong-value
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = warp_sum(i < count ? input[i] : 0.0f);
  if (lane == 0) totals[warp] = value;
  __syncthreads();

  if (warp == 0) value = warp_sum(lane < warps ? totals[lane] : 0.0f);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
