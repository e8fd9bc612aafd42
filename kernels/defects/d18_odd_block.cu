// D18: the tree that halves its width, run with blocks that are not a power of two. Halving an odd width
// rounds down, and the remaining slot is never folded. Seen where the block size later became a parameter.
// Fixed by rounding up: tree/any_block.cu.
#include <cstddef>

__global__ void odd_block(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {  // finding: wrong-value, input-not-used
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
