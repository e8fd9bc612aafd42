// H19: Kokkos #1048, RAFT #2226. The maximum starts from std::numeric_limits<T>::min(), which is the lowest
// integer but the smallest positive float: negative maxima are returned as 1.2e-38. Fixed by -infinity, or
// lowest() where there is none: reduction_operators.cuh.
#include <cstddef>
#include <limits>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

constexpr float start = std::numeric_limits<float>::min();  // finding: wrong-value

__global__ void max_from_smallest_positive(const float* input, float* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float highest = start;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    highest = fmaxf(highest, input[i]);
  }
  highest = reduce_block<Max>(highest);
  if (threadIdx.x == 0) partials[blockIdx.x] = highest;
}
