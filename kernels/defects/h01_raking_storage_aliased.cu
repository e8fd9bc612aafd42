// H1: CUB, cccl#1902. A raking reduction: each lane of the first warp adds up a segment of the grid, then the
// warp folds its 32 sums, in the same storage. A lane that has finished writes its sum over slots that others
// still read. Fixed by a barrier between the two phases, or separate storage: repaired/raking.cu.
#include <cstddef>

/// blockDim.x is 32 or more.
__global__ void raking_storage_aliased(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  if (thread < 32) {
    const unsigned segment = (blockDim.x + 31) / 32;
    const unsigned end = min(blockDim.x, (thread + 1) * segment);
    float sum = 0.0f;
    for (unsigned slot = thread * segment; slot < end; ++slot) sum += slots[slot];

    slots[thread] = sum;  // finding: shared-race
    __syncwarp();
    for (unsigned half = 16; half > 0; half /= 2) {
      if (thread < half) slots[thread] += slots[thread + half];
      __syncwarp();
    }
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
