// F7: mean and variance of rows by merging in pairs all the way down: no part is ever extended by a single
// element, so errors grow with the logarithm of the row's length, not with the length.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "merging_moments.cuh"

/// A stack of merged parts, one for each power of two, as a binary counter has its digits: part k holds 2^k
/// elements while bit k of their number is set.
template <typename W>
struct Counter {
  static constexpr unsigned digits = 32;
  PartMoments<W> parts[digits];

  /// `before`: how many elements came so far.
  __device__ void add(W x, std::size_t before) {
    PartMoments<W> carry{1, x, x - x};  // no deviation, or NaN of what is not finite
    for (unsigned k = 0; k < digits; ++k) {
      if ((before >> k & 1) == 0) {
        parts[k] = carry;
        return;
      }
      carry = merge(parts[k], carry);
      parts[k] = {};
    }
  }

  __device__ PartMoments<W> total() const {
    PartMoments<W> all;
    for (unsigned k = 0; k < digits; ++k) all = merge(all, parts[k]);
    return all;
  }
};

template <typename T>
__global__ void merged_moments(const T* input, Wide<T>* variances, Wide<T>* means, std::size_t columns) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  Counter<Wide<T>> counter;
  std::size_t taken = 0;
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) counter.add(widen(row[c]), taken++);
  const PartMoments<Wide<T>> whole = merge_block(counter.total(), dynamic_shared<PartMoments<Wide<T>>>());
  if (threadIdx.x == 0) {
    means[blockIdx.x] = whole.mean;
    variances[blockIdx.x] = whole.deviations / static_cast<Wide<T>>(whole.count);
  }
}
