// A thread's share of the sum of squares of a row.
#pragma once

#include <cstddef>

#include "../element_types.cuh"

template <typename T>
__device__ Wide<T> own_squares(const T* row, std::size_t columns) {
  Wide<T> squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> x = widen(row[c]);  // before it is squared: in f16 the square of 256 overflows
    squares += x * x;
  }
  return squares;
}
