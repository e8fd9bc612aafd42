// H22: TensorFlow #46621, Thrust #1315. The count passes through a type that is too narrow for it, here 8
// bits instead of 32: 2^32 + 1 elements become one. Fixed by using std::size_t throughout:
// tree/coarsened.cu.
#include <cstddef>
#include <cstdint>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void narrow_count(const float* input, float* partials, std::size_t count) {
  const auto elements = static_cast<std::uint8_t>(count);  // finding: wrong-value, input-not-used
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float value = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += stride) {
    value += input[i];
  }
  value = reduce_block<Sum>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
