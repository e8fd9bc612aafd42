// D32b: a histogram of bytes in shared memory (from which the block reads off their sum) without a barrier
// between the zeroing of the bins and the first atomic: a bin may be zeroed after it was incremented. Seen in
// private histograms. Fixed by __syncthreads() after the zeroing.
#include <cstddef>

__global__ void histogram_zeroed_too_late(const unsigned char* input, unsigned* result, std::size_t count) {
  __shared__ unsigned bins[256];
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) bins[bin] = 0;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&bins[input[i]], 1u);  // finding: shared-race uninitialized-read?
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    atomicAdd(result, bin * bins[bin]);
  }
}
