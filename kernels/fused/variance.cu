// F7: the variance of rows, a block each, in two passes: the mean, then the squared deviations from it. The
// sums of x and x^2 alone would need one pass and cancel where the mean is large beside the deviations.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"

template <typename T>
__global__ void variance(const T* input, T* variances, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  const T divisor = static_cast<T>(columns);

  T sum = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c];
  const T mean = reduce_and_broadcast<Sum>(sum) / divisor;

  T squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const T deviation = row[c] - mean;
    squares += deviation * deviation;
  }
  squares = reduce_block<Sum>(squares);
  if (threadIdx.x == 0) variances[blockIdx.x] = squares / divisor;
}
