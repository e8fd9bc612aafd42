// A thread's share of the sum of squares of a row.
#pragma once

#include <cstddef>

#include "../element_types.cuh"

template <typename T>
__device__ Wide<T> own_squares(const T* row, std::size_t columns) {
  Wide<T> squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> x = widen(row[c]);  // before it is squared: 256 is too large for f16 already
    squares += x * x;
  }
  return squares;
}
