// F4: softmax of rows, a warp each: for rows so short that a block would mostly wait.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "exponentials.cuh"

/// The total of a full warp, in every lane.
template <typename Op, typename W>
__device__ W warp_total(W value) {
  for (unsigned step = 16; step > 0; step /= 2) {
    value = Op::apply(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
}

/// blockDim.x is a multiple of 32.
template <typename T>
__global__ void softmax_warp(const T* scores, T* weights, std::size_t rows, std::size_t columns) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t index = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (index >= rows) return;  // the whole warp, so that no shuffle waits for it
  const T* row = scores + index * columns;

  Wide<T> highest = Max::identity<Wide<T>>();
  for (std::size_t c = lane; c < columns; c += 32) highest = Max::apply(highest, widen(row[c]));
  const Wide<T> origin = origin_of(warp_total<Max>(highest));

  Wide<T> sum = 0;
  for (std::size_t c = lane; c < columns; c += 32) sum += exp(widen(row[c]) - origin);
  sum = warp_total<Sum>(sum);

  for (std::size_t c = lane; c < columns; c += 32) {
    weights[index * columns + c] = static_cast<T>(share_of(exp(widen(row[c]) - origin), sum));
  }
}
