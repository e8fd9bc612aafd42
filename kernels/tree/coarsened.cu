// A12: thread coarsening. A grid-stride loop folds most of the input in registers; the tree comes once, at
// the end.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "sequential.cuh"

template <typename Op, typename T>
__global__ void coarsened(const T* input, Wide<T>* partials, std::size_t count) {
  // The stride is the whole grid: neighbouring threads read neighbouring elements in every round, and any
  // grid serves any count. 64 bits, since the last index plus the stride passes 2^32 long before the memory
  // ends.
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    value = Op::apply(value, widen(input[i]));
  }

  const Wide<T> total = reduce_sequential<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
