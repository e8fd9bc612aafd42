// G6: a histogram of more bins than shared memory holds, by atomics that L2 serves; lanes with the same bin
// issue one atomic together.
#include <cstddef>

#include "bin.cuh"

/// `result` holds zeros before every launch.
template <typename T>
__global__ void through_l2(const T* input, unsigned* result, unsigned bins, std::size_t count) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes = min(32u, blockDim.x - (threadIdx.x - lane));
  const unsigned mask = 0xffffffffu >> (32 - lanes);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  // The loop ends for all lanes at once, by the index of the warp's first lane: the match waits for all lanes
  // in its mask. Lanes past the end pass a bin that is not counted.
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i - lane < count; i += stride) {
    const unsigned bin = i < count ? bin_of(input[i], bins) : bins;
    const unsigned same = __match_any_sync(mask, bin);
    // Many equal elements would queue at one address, so only the lowest of their lanes in each warp adds
    // their number.
    const bool lowest = (same & ((1u << lane) - 1)) == 0;
    if (lowest && bin < bins) atomicAdd(&result[bin], static_cast<unsigned>(__popc(same)));
  }
}
