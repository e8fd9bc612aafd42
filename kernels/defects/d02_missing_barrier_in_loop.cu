// D2: no barrier inside the tree. A round reads slots that other warps may not have folded yet in the round
// before. Seen where the barrier in the loop was assumed to repeat the one before it. Fixed by
// __syncthreads() at the end of every round.
#include <cstddef>

__global__ void missing_barrier_in_loop(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];  // finding: shared-race
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
