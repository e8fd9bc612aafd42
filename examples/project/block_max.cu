#include <cmath>
#include <cstddef>

// The largest element of each block's share of the input.
__global__ void block_max(const float* input, float* largest, std::size_t count) {
  __shared__ float of_warp[32];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = i < count ? input[i] : -INFINITY;

  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();

  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) value = fmaxf(value, of_warp[warp]);
    largest[blockIdx.x] = value;
  }
}
