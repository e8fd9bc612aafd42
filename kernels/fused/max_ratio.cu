// F8: the largest ratio of two probabilities of each row, one block per row: how far a draft strays from the
// model that verifies it.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename T>
__global__ void max_ratio(const T* target, const T* draft, Wide<T>* ratios, std::size_t columns) {
  const std::size_t begin = std::size_t{blockIdx.x} * columns;
  Wide<T> largest = Max::identity<Wide<T>>();
  for (std::size_t c = begin + threadIdx.x; c < begin + columns; c += blockDim.x) {
    // Rounding preserves the order of the quotients: the largest rounded one is the largest one, rounded.
    largest = Max::apply(largest, widen(target[c]) / widen(draft[c]));
  }
  largest = reduce_block<Max>(largest);
  if (threadIdx.x == 0) ratios[blockIdx.x] = largest;
}
