// The origin of exponentials, a thread's share of their sum, and the share of each in that.
#pragma once

#include <cstddef>

#include "../element_types.cuh"

/// Relative to the highest score, no exponential overflows. If all scores are masked, -inf - -inf would be
/// NaN; relative to 0, their exponentials are 0, as they should be.
template <typename W>
__device__ W origin_of(W highest) {
  return isinf(highest) && highest < 0 ? W{0} : highest;
}

/// The share of one exponential in their sum; 0 if all scores are masked.
template <typename W>
__device__ W share_of(W exponential, W sum) {
  return sum == 0 ? W{0} : exponential / sum;
}

/// The sum of a thread's exponentials of a row, relative to the origin.
template <typename T>
__device__ Wide<T> own_exponentials(const T* row, std::size_t columns, Wide<T> origin) {
  Wide<T> sum = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) sum += exp(widen(row[c]) - origin);
  return sum;
}
