// F6: the cross-entropy of rows of scores against the class that each row belongs to, one block per row: the
// logarithm of the sum of exponentials, less the score of the class.
#include <cstddef>
#include <cstdint>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "block_broadcast.cuh"
#include "exponentials.cuh"

template <typename T>
__global__ void cross_entropy(const T* scores, const std::uint32_t* classes, Wide<T>* losses,
                              std::size_t columns) {
  const T* row = scores + std::size_t{blockIdx.x} * columns;
  const Wide<T> highest = fold_and_broadcast<Max>(row, columns);
  const Wide<T> sum = reduce_block<Sum>(own_exponentials(row, columns, highest));
  if (threadIdx.x == 0) {
    // The distance from the maximum first: the logarithm is small compared with a large score and would be
    // lost in their sum.
    const Wide<T> below = highest - widen(row[classes[blockIdx.x]]);
    losses[blockIdx.x] = below + log(sum);
  }
}
