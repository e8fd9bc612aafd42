// A1: one atomic per thread, no tree. The baseline that every other reduction has to beat.
#include <cstddef>

#include "../atomic_operators.cuh"
#include "../element_types.cuh"

/// `result` holds the identity before the launch.
template <typename Op, typename T>
__global__ void atomic_only(const T* input, Wide<T>* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Every thread of the grid queues up for one address. The order is unspecified, so a float sum may differ
  // in its last bits from run to run; integer sums and maxima do not depend on the order.
  if (i < count) atomic_apply(Op{}, result, widen(input[i]));
}
