// P6: softmax with one warp per row and a running maximum. While all scores of a lane were -infinity, so is its maximum,
// and the next score is scaled by exp(-infinity - (-infinity)), which is NaN. A row that is masked only at the start, as
// by a sliding window, is NaN; a row that is masked completely is handled. Fixed by skipping masked scores: F5.
#include <cmath>
#include <cstddef>

__global__ void softmax_masked_at_the_start(const float* scores, float* weights, std::size_t columns) {
  const float* row = scores + std::size_t{blockIdx.x} * columns;
  float highest = -INFINITY, sum = 0.0f;
  for (std::size_t c = threadIdx.x; c < columns; c += 32) {
    const float before = highest;
    highest = isnan(row[c]) ? row[c] : fmaxf(highest, row[c]);
    sum = sum * expf(before - highest) + expf(row[c] - highest);
  }
  float top = highest;
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, top, distance);
    top = isnan(other) ? other : isnan(top) ? top : fmaxf(top, other);
  }
  sum = highest == -INFINITY ? 0.0f : sum * expf(highest - top);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  for (std::size_t c = threadIdx.x; c < columns; c += 32)
    weights[std::size_t{blockIdx.x} * columns + c] =
        top == -INFINITY ? 0.0f : expf(row[c] - top) / sum;  // finding: wrong-value
}
