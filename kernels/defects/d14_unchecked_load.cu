// D14: the load has no bounds check. The threads of the last block that lie past the end read whatever
// follows the input, often zeros of a padded allocation. Seen in many tutorials, whose count is a power of
// two. Fixed by a check that supplies the identity: tree/sequential.cu.
#include <cstddef>

__global__ void unchecked_load(const float* input, float* partials) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  slots[thread] = input[std::size_t{blockIdx.x} * blockDim.x + thread];  // finding: out-of-bounds
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
