// F7: mean and variance of rows in one pass by Welford's recurrence, one block per row.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "merging_moments.cuh"

template <typename T>
__global__ void welford(const T* input, Wide<T>* variances, Wide<T>* means, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  PartMoments<Wide<T>> part;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) part = extended(part, widen(row[c]));
  part = merge_block(part, dynamic_shared<PartMoments<Wide<T>>>());
  if (threadIdx.x == 0) {
    means[blockIdx.x] = part.mean;
    variances[blockIdx.x] = part.deviations / static_cast<Wide<T>>(part.count);
  }
}
