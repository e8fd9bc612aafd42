// F4: softmax of rows, a block each: the row's maximum, then the sum of the exponentials about it, then the
// quotients.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"

template <typename T>
__global__ void softmax_block(const T* scores, T* weights, std::size_t columns) {
  const T* row = scores + std::size_t{blockIdx.x} * columns;

  float highest = Max::identity<float>();
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    highest = Max::apply(highest, static_cast<float>(row[c]));
  }
  highest = reduce_and_broadcast<Max>(highest);
  // Where all scores are masked, -inf - -inf would be NaN: about 0 their exponentials are what they should
  // be.
  const float origin = highest == Max::identity<float>() ? 0.0f : highest;

  float sum = 0.0f;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    sum += expf(static_cast<float>(row[c]) - origin);
  }
  sum = reduce_and_broadcast<Sum>(sum);

  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const float share = expf(static_cast<float>(row[c]) - origin);
    weights[std::size_t{blockIdx.x} * columns + c] = static_cast<T>(sum == 0.0f ? 0.0f : share / sum);
  }
}
