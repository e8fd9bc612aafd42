// F7: standard deviation of rows, and its reciprocal, one block per row, from the variance in two passes.
#include <cstddef>

#include "../element_types.cuh"
#include "two_pass.cuh"

template <typename T>
__global__ void deviation(const T* input, Wide<T>* reciprocals, Wide<T>* deviations, std::size_t columns,
                          Wide<T> epsilon) {
  const Wide<T> variance = two_pass(input + std::size_t{blockIdx.x} * columns, columns).variance;
  if (threadIdx.x == 0) {
    deviations[blockIdx.x] = sqrt(variance);
    reciprocals[blockIdx.x] = 1 / sqrt(variance + epsilon);
  }
}
