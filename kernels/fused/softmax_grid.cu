// F4: softmax of one vector by the whole grid, in three launches: the maximum of each block; per block, the
// sum of the exponentials relative to the highest maximum; the quotients.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"
#include "exponentials.cuh"

template <typename T>
__global__ void block_maxima(const T* scores, Wide<T>* maxima, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> highest = Max::identity<Wide<T>>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    highest = Max::apply(highest, widen(scores[i]));
  }
  highest = reduce_block<Max>(highest);
  if (threadIdx.x == 0) maxima[blockIdx.x] = highest;
}

/// Launched with as many blocks as before. Each block folds the maxima of all blocks itself: in the same
/// order, with the same bits, and cheaper than a separate launch that folds once.
template <typename T>
__global__ void block_sums(const T* scores, const Wide<T>* maxima, Wide<T>* sums, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const Wide<T> origin = origin_of(fold_and_broadcast<Max>(maxima, gridDim.x));
  Wide<T> sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum += exp(widen(scores[i]) - origin);
  }
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// The same number of blocks again.
template <typename T>
__global__ void shares(const T* scores, const Wide<T>* maxima, const Wide<T>* sums, T* weights,
                       std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const Wide<T> origin = origin_of(fold_and_broadcast<Max>(maxima, gridDim.x));
  const Wide<T> sum = fold_and_broadcast<Sum>(sums, gridDim.x);
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    weights[i] = static_cast<T>(share_of(exp(widen(scores[i]) - origin), sum));
  }
}
