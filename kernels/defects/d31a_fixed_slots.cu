// D31a: a shared array of 256 slots, run with a block of 512: the upper threads write past it, into whatever
// comes next in shared memory. Seen wherever the block size is given both in the launch and in the kernel.
// Fixed by dynamic shared memory: tree/sequential.cu.
#include <cstddef>

__global__ void fixed_slots(const float* input, float* partials, std::size_t count) {
  __shared__ float slots[256];
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
