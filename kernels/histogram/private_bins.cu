// G5: a histogram in private bins of each block in shared memory, added to the result at the end.
#include <cstddef>

#include "bin.cuh"

/// `result` holds zeros before every launch. Elements of one value meet in a block's own bin, many times
/// faster than in global memory, to which each block adds once for each bin that it used.
template <unsigned bins, typename T>
__global__ void private_bins(const T* input, unsigned* result, std::size_t count) {
  __shared__ unsigned mine[bins];
  // A loop, because a block may have fewer threads than bins. The barrier after it keeps a thread from
  // counting in a bin that another thread sets to zero afterwards.
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) mine[bin] = 0;
  __syncthreads();

  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const unsigned bin = bin_of(input[i], bins);
    if (bin < bins) atomicAdd(&mine[bin], 1u);
  }
  __syncthreads();  // a bin is incremented and merged by different threads

  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (mine[bin] != 0) atomicAdd(&result[bin], mine[bin]);
  }
}
