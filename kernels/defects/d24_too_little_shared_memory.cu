// D24: the launch passes too little dynamic shared memory: the number of slots instead of the number of
// bytes. The kernel cannot detect this. Seen wherever the launch and the kernel are in different files. Fixed
// by `block * sizeof(float)` in the launch, here in the contract.
#include <cstddef>

__global__ void too_little_shared_memory(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;  // finding: out-of-bounds
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];  // finding: out-of-bounds
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
