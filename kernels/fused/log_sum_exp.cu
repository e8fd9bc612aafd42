// F6: log-sum-exp of rows, a block each, about the row's maximum, so that no exponential overflows.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"

__global__ void log_sum_exp(const float* input, float* results, std::size_t columns) {
  const float* row = input + std::size_t{blockIdx.x} * columns;

  float highest = Max::identity<float>();
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) highest = Max::apply(highest, row[c]);
  highest = reduce_and_broadcast<Max>(highest);
  // An infinite maximum is the result: about it, -inf - -inf and inf - inf would be NaN.
  const float origin = isinf(highest) ? 0.0f : highest;

  float sum = 0.0f;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(row[c] - origin);
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) results[blockIdx.x] = origin + logf(sum);
}
