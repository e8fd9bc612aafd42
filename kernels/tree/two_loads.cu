// A6: the sequential tree with two loads per thread: the first addition happens before the store to shared memory.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "sequential.cuh"

template <typename Op, typename T>
__global__ void two_loads(const T* input, Wide<T>* partials, std::size_t count) {
  // A block serves 2 * blockDim.x elements: half as many blocks, and no thread idles in the first addition.
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  Wide<T> value = element_or_identity<Op>(input, i, count);
  // The end of the input may be between the two loads: the second one has its own bounds check.
  if (i + blockDim.x < count) value = Op::apply(value, widen(input[i + blockDim.x]));

  const Wide<T> total = reduce_sequential<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
