// F6: log-sum-exp of rows, one block per row, relative to the row's maximum, so that no exponential overflows.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "block_broadcast.cuh"
#include "exponentials.cuh"

template <typename T>
__global__ void log_sum_exp(const T* input, Wide<T>* results, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  const Wide<T> highest = fold_and_broadcast<Max>(row, columns);
  // An infinite maximum is the result: relative to it, -inf - -inf and inf - inf would be NaN.
  const Wide<T> origin = isinf(highest) ? 0 : highest;
  const Wide<T> sum = reduce_block<Sum>(own_exponentials(row, columns, origin));
  if (threadIdx.x == 0) results[blockIdx.x] = origin + log(sum);
}
