// H11: PyTorch #13765. A shuffle whose mask names all lanes is in a branch that only some take; the others
// wait at the next barrier of the block. Each side waits for the other: the kernel hangs from Volta on. Fixed
// by identities in the idle lanes and the shuffles outside of the branch: warp/block_shuffle.cu.
#include <cstddef>

/// blockDim.x is a multiple of 32.
__global__ void shuffle_in_branch(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = 0.0f;
  if (i < count) {
    value = input[i];
    for (unsigned step = 16; step > 0; step /= 2) {
      value += __shfl_down_sync(0xffffffffu, value, step);  // finding: deadlock
    }
  }
  if (lane == 0) totals[warp] = value;
  __syncthreads();  // finding: deadlock?

  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / 32; ++w) value += totals[w];
    partials[blockIdx.x] = value;
  }
}
