// H2: XGBoost #3264, cuDF #13485, cuML #6578. A block reduction that does not end with a barrier, called in a
// loop: a fast warp puts its next total into a slot that the first warp has not read yet. The most frequent
// defect of all in this list. Fixed by a barrier at the end: warp/block_shuffle.cuh.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// Thread 0 returns the total. blockDim.x is a multiple of 32.
__device__ float block_sum(float value) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = reduce_warp<Sum>(value, 32);
  if (lane == 0) totals[warp] = value;  // finding: shared-race
  __syncthreads();
  if (warp == 0) value = reduce_warp<Sum>(lane < blockDim.x / 32 ? totals[lane] : 0.0f, 32);
  return value;
}

__global__ void reduction_in_a_loop(const float* input, float* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float total = 0.0f;
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x; first < count; first += stride) {
    const std::size_t i = first + threadIdx.x;
    total += block_sum(i < count ? input[i] : 0.0f);
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
