// D32c: a histogram of bytes in shared memory (from which the block reads off their sum) with 128 bins,
// enough for text in ASCII: the atomics of larger values go past the array. Seen in histograms whose range
// was chosen from the first data set. Fixed by a bin for every value, or a check.
#include <cstddef>

__global__ void histogram_too_small(const unsigned char* input, unsigned* result, std::size_t count) {
  __shared__ unsigned bins[128];
  for (unsigned bin = threadIdx.x; bin < 128; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&bins[input[i]], 1u);  // finding: out-of-bounds
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < 128; bin += blockDim.x) {
    atomicAdd(result, bin * bins[bin]);
  }
}
