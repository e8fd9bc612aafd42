// H6: Kokkos #4482, #6217. One lane stores the total of its warp, and the others read it, with no warp
// barrier in between. (It also overwrote its own value with what it had just read.) Fixed by __syncwarp(), or
// by a __shfl_sync from lane 0.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// One partial result per warp; blockDim.x is a multiple of 32.
__global__ void broadcast_without_barrier(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float value = reduce_warp<Sum>(i < count ? input[i] : 0.0f, 32);
  if (lane == 0) totals[warp] = value;
  const float total = totals[warp];  // finding: shared-race uninitialized-read?
  if (lane == 31) partials[i / 32] = total;
}
