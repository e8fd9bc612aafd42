// D23: an inclusive scan whose blocks never add the totals of the blocks before them: it is right inside a
// block and wrong across blocks. Here the total is the scan's last element. Seen in scans tested with one
// block. Fixed by a second pass that adds the totals of the earlier blocks to each block.
#include <cstddef>

/// blockDim.x is a power of two.
__global__ void block_scans(const int* input, int* scan, std::size_t count) {
  extern __shared__ int slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0;
  __syncthreads();

  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const int below = thread >= step ? slots[thread - step] : 0;
    __syncthreads();
    slots[thread] += below;
    __syncthreads();
  }
  if (i < count) scan[i] = slots[thread];  // finding: wrong-value, input-not-used
}

__global__ void last_element(const int* scan, int* result, std::size_t count) { *result = scan[count - 1]; }
