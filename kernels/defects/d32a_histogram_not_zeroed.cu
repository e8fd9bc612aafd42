// D32a: a histogram of bytes in shared memory (from which the block reads off their sum) whose bins are never
// zeroed. Shared memory has no initial value. Seen in private histograms that were tested as the first kernel
// of a process. Fixed by zeroing the bins and a barrier before the first atomic.
#include <cstddef>

__global__ void histogram_not_zeroed(const unsigned char* input, unsigned* result, std::size_t count) {
  __shared__ unsigned bins[256];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&bins[input[i]], 1u);  // finding: uninitialized-read?
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    atomicAdd(result, bin * bins[bin]);  // finding: uninitialized-read
  }
}
