// F5: online softmax of rows, one block per row. Maximum and sum are computed in one pass over the scores
// instead of two: the sum relative to an earlier maximum is rescaled when a higher score occurs.
#include <cstddef>

#include "../element_types.cuh"
#include "running_sum.cuh"

template <typename T>
__global__ void online_softmax(const T* scores, T* weights, std::size_t columns) {
  const T* row = scores + std::size_t{blockIdx.x} * columns;

  RunningSum<Wide<T>> running;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) running = extended(running, widen(row[c]));
  running = merge_block(running);

  const Wide<T> origin = origin_of(running.highest);
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> exponential = exp(widen(row[c]) - origin);
    weights[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(share_of(exponential, running.sum));
  }
}
