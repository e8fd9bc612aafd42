// B2: a butterfly of shuffles, after which every lane has the total.
#include "butterfly.cuh"

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"

/// One warp; each of its lanes writes the total of the whole input.
template <typename Op, typename T>
__global__ void butterfly(const T* input, Wide<T>* totals, std::size_t count) {
  totals[threadIdx.x] = reduce_butterfly<Op>(fold_block_stride<Op>(input, count));
}
