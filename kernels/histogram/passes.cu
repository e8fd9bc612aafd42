// G6: a histogram of more bins than shared memory holds: one pass over the input for each range of them.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "bin.cuh"

/// `result` holds zeros before every launch; the block has shared memory for `range` bins. The input is read
/// again in every pass, in order and mostly from L2, and its atomics stay in shared memory.
template <typename T>
__global__ void passes(const T* input, unsigned* result, unsigned bins, unsigned range, std::size_t count) {
  unsigned* mine = dynamic_shared<unsigned>();
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (unsigned first = 0; first < bins; first += range) {
    const unsigned width = min(range, bins - first);
    for (unsigned bin = threadIdx.x; bin < width; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();

    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
      // Below `first` the difference wraps to a large number: one comparison for both ends of the range.
      const unsigned bin = bin_of(input[i], bins) - first;
      if (bin < width) atomicAdd(&mine[bin], 1u);
    }
    __syncthreads();

    // Each thread merges the bins that it sets to zero for the next pass: no barrier is needed between.
    for (unsigned bin = threadIdx.x; bin < width; bin += blockDim.x) {
      if (mine[bin] != 0) atomicAdd(&result[first + bin], mine[bin]);
    }
  }
}
