// F6: log-sum-exp of rows, a block each, about the row's maximum, so that no exponential overflows.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"

template <typename T>
__global__ void log_sum_exp(const T* input, Wide<T>* results, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;

  Wide<T> highest = Max::identity<Wide<T>>();
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) highest = Max::apply(highest, widen(row[c]));
  highest = reduce_and_broadcast<Max>(highest);
  // An infinite maximum is the result: about it, -inf - -inf and inf - inf would be NaN.
  const Wide<T> origin = isinf(highest) ? 0 : highest;

  Wide<T> sum = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) sum += exp(widen(row[c]) - origin);
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) results[blockIdx.x] = origin + log(sum);
}
