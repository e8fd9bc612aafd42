// F4: log-softmax of rows, one block per row: the row's maximum, then the logarithm of the sum of the exponentials
// relative to it. The logarithm of a softmax would be -inf where an exponential underflows.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"
#include "exponentials.cuh"

template <typename T>
__global__ void log_softmax(const T* scores, T* logarithms, std::size_t columns) {
  const T* row = scores + std::size_t{blockIdx.x} * columns;
  const Wide<T> origin = origin_of(fold_and_broadcast<Max>(row, columns));
  const Wide<T> logarithm = log(reduce_and_broadcast<Sum>(own_exponentials(row, columns, origin)));

  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    logarithms[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(widen(row[c]) - origin - logarithm);
  }
}
