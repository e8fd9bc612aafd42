// D27: a tree unrolled by hand for blocks of up to 512, run with 1024: its first round folds 512 slots, and
// the upper 512 are lost. Seen since blocks may have more than 512 threads. Fixed by a round for 1024:
// tree/unrolled.cu.
#include <cstddef>

__global__ void unrolled_from_256(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x, block = blockDim.x;
  const std::size_t i = std::size_t{blockIdx.x} * block + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  const auto fold = [&](unsigned half) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  };
  if (block >= 512) fold(256);  // finding: wrong-value, input-not-used
  if (block >= 256) fold(128);
  if (block >= 128) fold(64);
  if (block >= 64) fold(32);
  fold(16);
  fold(8);
  fold(4);
  fold(2);
  fold(1);
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
