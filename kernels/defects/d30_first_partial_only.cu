// D30: every block leaves a partial, and the first one is returned as the result. Seen on the host, where
// `result = partials[0]` was right as long as one block was enough; here, a kernel of one thread stands in
// for the host. Fixed by a second level: grid/two_level.cu.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void block_totals(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

__global__ void first_partial(const float* partials, float* result) {
  *result = partials[0];  // finding: wrong-value, input-not-used
}
