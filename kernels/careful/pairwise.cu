// E3: each thread sums its elements pairwise: the error grows with the logarithm of their number, not with
// the number.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// The sums of the subtrees not yet merged with one of the same size: 2^k leaves in slot k where bit k of
/// their number is set, as in a binary counter. Sixty-four slots are enough for any number.
template <typename T>
class PairwiseSum {
 public:
  __device__ void add(T leaf) {
    unsigned slot = 0;
    // A carry: two subtrees of one size become one of twice the size. One addition per leaf on average.
    for (std::size_t bits = leaves_++; bits % 2 != 0; bits /= 2) leaf = waiting_[slot++] + leaf;
    waiting_[slot] = leaf;
  }

  /// The small ones first, so that no path becomes longer than that of the largest.
  __device__ T total() const {
    T sum = 0;
    unsigned slot = 0;
    for (std::size_t bits = leaves_; bits != 0; bits /= 2, ++slot) {
      if (bits % 2 != 0) sum = waiting_[slot] + sum;
    }
    return sum;
  }

 private:
  T waiting_[64];
  std::size_t leaves_ = 0;
};

template <typename T>
__global__ void pairwise(const T* input, Wide<T>* partials, std::size_t count) {
  constexpr unsigned leaf = 8;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  PairwiseSum<Wide<T>> sum;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += leaf * stride) {
    // A leaf of eight elements is a tree in registers: slots of the counter are in local memory, as their
    // index is not known to the compiler, and are touched once for all eight.
    Wide<T> part[leaf];
#pragma unroll
    for (unsigned k = 0; k < leaf; ++k) part[k] = element_or_identity<Sum>(input, i + k * stride, count);
#pragma unroll
    for (unsigned half = leaf / 2; half > 0; half /= 2) {
#pragma unroll
      for (unsigned k = 0; k < half; ++k) part[k] += part[k + half];
    }
    sum.add(part[0]);
  }

  const Wide<T> total = reduce_block<Sum>(sum.total());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
