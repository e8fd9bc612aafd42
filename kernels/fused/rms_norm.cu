// F7: RMSNorm of rows, a block each: every element over the root of the mean of squares, times the weight of
// its column.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"

template <typename T>
__global__ void rms_norm(const T* input, const T* weights, T* output, std::size_t columns, Wide<T> epsilon) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  Wide<T> squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> x = widen(row[c]);  // before it is squared: 256 is too large for f16 already
    squares += x * x;
  }
  squares = reduce_and_broadcast<Sum>(squares);
  const Wide<T> scale = 1 / sqrt(squares / static_cast<Wide<T>>(columns) + epsilon);
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    output[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(widen(row[c]) * scale * widen(weights[c]));
  }
}
