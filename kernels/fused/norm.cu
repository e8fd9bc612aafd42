// F1: the Euclidean norm of rows, a block each: the root of the sum of squares, squared in the accumulator's
// type.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename T, typename Accumulator>
__global__ void norm(const T* input, Accumulator* norms, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  Accumulator squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const auto x = static_cast<Accumulator>(row[c]);
    squares += x * x;
  }
  squares = reduce_block<Sum>(squares);
  if (threadIdx.x == 0) norms[blockIdx.x] = sqrt(squares);
}
