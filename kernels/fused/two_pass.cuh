// Mean and variance of a row in two passes.
#pragma once

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"

template <typename W>
struct Moments {
  W mean, variance;  ///< of a population
};

/// In every thread of the block.
template <typename T>
__device__ Moments<Wide<T>> two_pass(const T* row, std::size_t columns) {
  const auto divisor = static_cast<Wide<T>>(columns);
  const Wide<T> mean = fold_and_broadcast<Sum>(row, columns) / divisor;

  Wide<T> squares = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    const Wide<T> deviation = widen(row[c]) - mean;
    squares += deviation * deviation;
  }
  return {mean, reduce_and_broadcast<Sum>(squares) / divisor};
}
