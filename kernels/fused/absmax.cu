// F1: the largest magnitude of each group, as a scale for quantizing it (of a key-value cache, say). One warp
// per group: groups are small and numerous.
#include <cstddef>

#include "../warp/block_shuffle.cuh"
#include "magnitude.cuh"

/// blockDim.x is a multiple of 32.
template <typename T>
__global__ void absmax(const T* input, Magnitude<T>* scales, std::size_t groups, std::size_t columns) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t group = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (group >= groups) return;  // the whole warp, so that no shuffle waits for it

  // Starts from 0, the smallest magnitude.
  Magnitude<T> largest = 0;
  for (std::size_t c = lane; c < columns; c += 32) {
    largest = Max::apply(largest, magnitude(input[group * columns + c]));
  }
  largest = reduce_warp<Max>(largest, 32);
  if (lane == 0) scales[group] = largest;
}
