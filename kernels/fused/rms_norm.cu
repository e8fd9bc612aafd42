// F7: RMSNorm of rows, one block per row: every element divided by the root of the mean of squares, times the
// weight of its column.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"
#include "squares.cuh"

template <typename T>
__global__ void rms_norm(const T* input, const T* weights, T* output, std::size_t columns, Wide<T> epsilon) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  const Wide<T> squares = reduce_and_broadcast<Sum>(own_squares(row, columns));
  const Wide<T> scale = 1 / sqrt(squares / static_cast<Wide<T>>(columns) + epsilon);
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    output[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(widen(row[c]) * scale * widen(weights[c]));
  }
}
