// D29: the second level is one block with one partial per thread, over more partials than it has threads:
// those above are never read. Published with 256 threads over 4096 partials; here one warp reads up to 4096
// partial results. Fixed by a loop in the second level: grid/two_level.cu.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void first_level(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

__global__ void second_level(const float* partials, float* result, unsigned count) {
  const float value = threadIdx.x < count ? partials[threadIdx.x] : 0.0f;  // finding: wrong-value, input-not-used
  const float total = reduce_block<Sum>(value);
  if (threadIdx.x == 0) *result = total;
}
