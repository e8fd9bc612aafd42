// F4: softmax of rows, one warp per row: for rows so short that most threads of a block would be idle.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/butterfly.cuh"
#include "exponentials.cuh"

/// blockDim.x is a multiple of 32.
template <typename T>
__global__ void softmax_warp(const T* scores, T* weights, std::size_t rows, std::size_t columns) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t index = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (index >= rows) return;  // the whole warp, so that no shuffle waits for it
  const T* row = scores + index * columns;

  Wide<T> highest = Max::identity<Wide<T>>();
  for (std::size_t c = lane; c < columns; c += 32) highest = Max::apply(highest, widen(row[c]));
  const Wide<T> origin = origin_of(reduce_butterfly<Max>(highest));

  Wide<T> sum = 0;
  for (std::size_t c = lane; c < columns; c += 32) sum += exp(widen(row[c]) - origin);
  sum = reduce_butterfly<Sum>(sum);

  for (std::size_t c = lane; c < columns; c += 32) {
    weights[index * columns + c] = static_cast<T>(share_of(exp(widen(row[c]) - origin), sum));
  }
}
