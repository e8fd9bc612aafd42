// A12: thread coarsening. A grid-stride loop folds most of the input in registers; the tree runs once, at the
// end.
#include "coarsened.cuh"

#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "sequential.cuh"

template <typename Op, typename T>
__global__ void coarsened(const T* input, Wide<T>* partials, std::size_t count) {
  const Wide<T> value = fold_grid_stride<Op>(input, count);

  const Wide<T> total = reduce_sequential<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
