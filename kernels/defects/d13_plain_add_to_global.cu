// D13: every block adds its total to one global by a plain +=, which is a load, an addition and a store: what
// another block adds between the load and the store is lost. Seen in beginners' kernels that were tested with
// one block. Fixed by atomicAdd (tree/block_atomic.cu) or a second launch (grid/two_level.cu).
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `*result` is 0 before every launch.
__global__ void plain_add_to_global(const float* input, float* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) *result += total;  // finding: global-race
}
