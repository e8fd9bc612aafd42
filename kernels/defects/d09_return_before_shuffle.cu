// D9: threads past the end return before the shuffles whose mask names them. The remaining lanes read
// registers of exited lanes. Seen wherever a bounds check was put at the top of a kernel by habit; old
// registers often hold 0, and the value is right. Fixed by identities instead of the return:
// warp/shuffle_down.cu.
#include <cstddef>

__global__ void return_before_shuffle(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  if (i >= count) return;
  float value = input[i];
  for (unsigned step = 16; step > 0; step /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, step);  // finding: undefined-shuffle-source
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
