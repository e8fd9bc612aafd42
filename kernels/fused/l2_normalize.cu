// F7: L2 normalization of rows, one block per row: every element divided by the norm of the row or, if that is
// smaller, by epsilon.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"
#include "squares.cuh"

template <typename T>
__global__ void l2_normalize(const T* input, T* output, std::size_t columns, Wide<T> epsilon) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  const Wide<T> norm = sqrt(reduce_and_broadcast<Sum>(own_squares(row, columns)));
  const Wide<T> divisor = norm < epsilon ? epsilon : norm;  // a norm of NaN remains NaN
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    output[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(widen(row[c]) / divisor);
  }
}
