// D1: no barrier between the load into shared memory and the tree. A thread of the first round may read the
// slot above it before the thread that owns it has written it. A frequent mistake in tutorial code; warps
// tend to run in order, so the value is usually right. Fixed by __syncthreads() before the loop.
#include <cstddef>

__global__ void missing_barrier_after_load(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) {
      slots[thread] += slots[thread + half];  // finding: shared-race uninitialized-read?
    }
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
