// D26b: softmax of rows that may be completely masked: relative to a maximum of -inf every distance is NaN, and
// so is every weight. Fixed in F4, whose origin is 0 for such a row.
#include <cstddef>

#include "../fused/block_broadcast.cuh"
#include "../reduction_operators.cuh"

__global__ void softmax_of_masked_row(const float* scores, float* weights, std::size_t columns) {
  const std::size_t first = std::size_t{blockIdx.x} * columns;
  float highest = Max::identity<float>();
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    highest = Max::apply(highest, scores[first + c]);
  }
  highest = reduce_and_broadcast<Max>(highest);

  float sum = 0.0f;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(scores[first + c] - highest);
  sum = reduce_and_broadcast<Sum>(sum);
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    weights[first + c] = expf(scores[first + c] - highest) / sum;  // finding: wrong-value
  }
}
