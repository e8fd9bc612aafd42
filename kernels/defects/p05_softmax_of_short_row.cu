// P5: softmax with one warp per row and a running maximum. The sum of a lane without elements is scaled by
// exp(-infinity - (-infinity)), which is NaN, so every row shorter than a warp is NaN. Seen in a training library. Fixed
// by leaving out lanes without elements: F4-warp.
#include <cmath>
#include <cstddef>

__global__ void softmax_of_short_row(const float* scores, float* weights, std::size_t columns) {
  const float* row = scores + std::size_t{blockIdx.x} * columns;
  float highest = -INFINITY, sum = 0.0f;
  for (std::size_t c = threadIdx.x; c < columns; c += 32) {
    const float before = highest;
    highest = fmaxf(highest, row[c]);
    sum = sum * expf(before - highest) + expf(row[c] - highest);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, highest, distance);
    const float both = fmaxf(highest, other);
    const float other_sum = __shfl_xor_sync(0xffffffff, sum, distance);
    sum = sum * expf(highest - both) + other_sum * expf(other - both);
    highest = both;
  }
  for (std::size_t c = threadIdx.x; c < columns; c += 32)
    weights[std::size_t{blockIdx.x} * columns + c] = expf(row[c] - highest) / sum;  // finding: wrong-value
}
