// B3: groups of 16, 8, 4 or 2 lanes fold by shuffles that stay inside the group.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// One partial result per `width` lanes; blockDim.x is a multiple of 32.
template <typename Op, unsigned width, typename T>
__global__ void sub_warp(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  Wide<T> value = element_or_identity<Op>(input, i, count);
  for (unsigned step = width / 2; step > 0; step /= 2) {
    // All lanes of the warp take part, so the mask names them all; `width` keeps the groups apart.
    value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, step, width));
  }
  if (threadIdx.x % width == 0) partials[i / width] = value;
}
