// A5: a tree over shared memory with sequential addressing, one element per thread.
#include "sequential.cuh"

#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"

template <typename Op, typename T>
__global__ void sequential(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Threads past the end contribute the identity instead of returning: they are needed at the barriers.
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_sequential<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
