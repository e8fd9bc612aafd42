// D15: the first warp folds all 32 slots of the shared array, but only one slot per warp was written. Shared
// memory often happens to hold zeros, so the value is usually right. Seen in copied shuffle reductions that
// lost the bounds of the last stage. Fixed by the identity in lanes past the last warp:
// warp/block_shuffle.cuh.
#include <cstddef>

// Lane 0 returns the total of the warp, all of whose lanes call.
__device__ float warp_sum(float value) {
  for (unsigned step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

__global__ void unwritten_totals(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = warp_sum(i < count ? input[i] : 0.0f);
  if (lane == 0) totals[warp] = value;
  __syncthreads();

  if (warp == 0) {
    value = totals[lane];  // finding: uninitialized-read
    value = warp_sum(value);
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
