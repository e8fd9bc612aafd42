// F4: softmax of rows, one block per row: the row's maximum, then the sum of the exponentials relative to it,
// then the quotients.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"
#include "exponentials.cuh"

template <typename T>
__global__ void softmax_block(const T* scores, T* weights, std::size_t columns) {
  const T* row = scores + std::size_t{blockIdx.x} * columns;
  const Wide<T> origin = origin_of(fold_and_broadcast<Max>(row, columns));
  const Wide<T> sum = reduce_and_broadcast<Sum>(own_exponentials(row, columns, origin));

  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> exponential = exp(widen(row[c]) - origin);
    weights[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(share_of(exponential, sum));
  }
}
