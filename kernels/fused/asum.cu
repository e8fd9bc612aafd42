// F1: the sum of absolute values.
#include <cstddef>

#include "fold_partials.cuh"
#include "magnitude.cuh"

template <typename T>
__global__ void asum(const T* input, Magnitude<T>* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Magnitude<T> sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum = Sum::apply(sum, magnitude(input[i]));
  }
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
