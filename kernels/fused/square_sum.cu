// F1: the sum of squares.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "fold_partials.cuh"

template <typename T>
__global__ void square_sum(const T* input, T* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum += input[i] * input[i];
  }
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
