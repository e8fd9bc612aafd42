// B2: a butterfly of shuffles, after which every lane has the total.
#include "butterfly.cuh"

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// One warp, each of whose lanes leaves the total of the whole input.
template <typename Op, typename T>
__global__ void butterfly(const T* input, Wide<T>* totals, std::size_t count) {
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = threadIdx.x; i < count; i += 32) value = Op::apply(value, widen(input[i]));

  totals[threadIdx.x] = reduce_butterfly<Op>(value);
}
