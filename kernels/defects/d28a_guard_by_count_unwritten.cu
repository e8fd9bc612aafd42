// D28a: a published repair of D18 that guards the upper slot by the count of the input instead of the width
// of the block. In all blocks but the last the guard is true for slots past the block: here, slots that were
// never written. Fixed by `thread + half < blockDim.x`, or by rounding up: tree/any_block.cu.
#include <cstddef>

__global__ void guard_by_count_unwritten(const float* input, float* partials, std::size_t count) {
  __shared__ float slots[1024];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  unsigned width = 1;
  while (width < blockDim.x) width *= 2;
  for (unsigned half = width / 2; half > 0; half /= 2) {
    if (thread < half && i + half < count) {
      slots[thread] += slots[thread + half];  // finding: uninitialized-read
    }
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
