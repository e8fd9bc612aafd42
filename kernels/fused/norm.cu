// F1: the Euclidean norm of rows, a block each: the root of the sum of squares.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename T>
__global__ void norm(const T* input, Wide<T>* norms, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  Wide<T> squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> x = widen(row[c]);  // before it is squared: 256 is too large for f16 already
    squares += x * x;
  }
  squares = reduce_block<Sum>(squares);
  if (threadIdx.x == 0) norms[blockIdx.x] = sqrt(squares);
}
