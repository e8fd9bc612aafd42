// F1: the dot product. Every thread multiplies as it loads, so no vector of products is ever stored.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "fold_partials.cuh"

template <typename T>
__global__ void dot(const T* x, const T* y, Wide<T>* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    // The compiler may fuse both into one instruction, which rounds once instead of twice.
    sum = Sum::apply(sum, Prod::apply(widen(x[i]), widen(y[i])));
  }
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
