// F7: mean and variance of rows, one block per row, in two passes: the mean, then the squared deviations from it.
// The sums of x and x^2 alone would need one pass, but cancel if the mean is large compared with the deviations.
#include <cstddef>

#include "../element_types.cuh"
#include "two_pass.cuh"

template <typename T>
__global__ void two_pass_moments(const T* input, Wide<T>* variances, Wide<T>* means, std::size_t columns) {
  const Moments<Wide<T>> row = two_pass(input + std::size_t{blockIdx.x} * columns, columns);
  if (threadIdx.x == 0) {
    means[blockIdx.x] = row.mean;
    variances[blockIdx.x] = row.variance;
  }
}
