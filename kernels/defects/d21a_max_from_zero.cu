// D21a: the maximum pads with 0, which is not its identity: if all elements of the last block are negative,
// the result is 0. Seen where a sum was copied and only its operator was changed. Fixed by -infinity:
// reduction_operators.cuh.
#include <cstddef>

__global__ void max_from_zero(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : 0.0f;  // finding: wrong-value
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = fmaxf(slots[thread], slots[thread + half]);
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
