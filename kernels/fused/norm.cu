// F1: the Euclidean norm of rows, one block per row: the root of the sum of squares.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "squares.cuh"

/// There is no scaling: a norm beyond the root of the largest number overflows in the squares.
template <typename T>
__global__ void norm(const T* input, Wide<T>* norms, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  const Wide<T> squares = reduce_block<Sum>(own_squares(row, columns));
  if (threadIdx.x == 0) norms[blockIdx.x] = sqrt(squares);
}
