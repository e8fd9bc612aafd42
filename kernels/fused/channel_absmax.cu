// F1: the largest magnitude of each channel, a column of a matrix stored by rows, as a scale for quantizing
// it.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "magnitude.cuh"

/// A block of blockDim.x columns and blockDim.y rows at a time: neighbouring threads read neighbouring
/// elements, unlike with one thread per column.
template <typename T>
__global__ void channel_absmax(const T* input, Magnitude<T>* scales, std::size_t rows, std::size_t columns) {
  Magnitude<T>* slots = dynamic_shared<Magnitude<T>>();
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  Magnitude<T> largest = 0;
  // Threads past the last column contribute 0 and take part in the barriers.
  for (std::size_t row = threadIdx.y; row < rows && column < columns; row += blockDim.y) {
    largest = Max::apply(largest, magnitude(input[row * columns + column]));
  }

  Magnitude<T>* mine = slots + threadIdx.y * blockDim.x + threadIdx.x;
  *mine = largest;
  __syncthreads();
  for (unsigned width = blockDim.y; width > 1;) {
    const unsigned half = (width + 1) / 2;  // rounded up: the middle row of an odd number has no partner
    if (threadIdx.y + half < width) *mine = Max::apply(*mine, mine[half * blockDim.x]);
    __syncthreads();
    width = half;
  }
  if (threadIdx.y == 0 && column < columns) scales[column] = *mine;
}
