// F7: mean and variance of rows by merging pairs at every level: no part is extended by a single element, so
// errors grow with the logarithm of the row's length, not with the length.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "merging_moments.cuh"

/// The parts not yet merged with one of the same size: 2^k elements in slot k where bit k of their number is
/// set, as in a binary counter.
template <typename W>
class WaitingParts {
 public:
  __device__ void add(W x) {
    PartMoments<W> part{1, x, x - x};  // no deviation, or NaN if x is not finite
    unsigned slot = 0;
    // A carry: two parts of one size become one of twice the size.
    for (unsigned bits = elements_++; bits % 2 != 0; bits /= 2) part = merge(waiting_[slot++], part);
    waiting_[slot] = part;
  }

  __device__ PartMoments<W> total() const {
    PartMoments<W> all;
    unsigned slot = 0;
    for (unsigned bits = elements_; bits != 0; bits /= 2, ++slot) {
      if (bits % 2 != 0) all = merge(all, waiting_[slot]);
    }
    return all;
  }

 private:
  PartMoments<W> waiting_[32];
  unsigned elements_ = 0;
};

template <typename T>
__global__ void merged_moments(const T* input, Wide<T>* variances, Wide<T>* means, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  WaitingParts<Wide<T>> parts;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) parts.add(widen(row[c]));
  const PartMoments<Wide<T>> whole = merge_block(parts.total(), dynamic_shared<PartMoments<Wide<T>>>());
  if (threadIdx.x == 0) {
    means[blockIdx.x] = whole.mean;
    variances[blockIdx.x] = whole.deviations / static_cast<Wide<T>>(whole.count);
  }
}
