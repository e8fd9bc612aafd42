// D34: the maximum pads with -FLT_MAX: if all elements of the last block are -infinity, as after masking
// attention scores, the result is finite. Seen in softmax kernels. Fixed by -infinity:
// reduction_operators.cuh.
#include <cfloat>
#include <cstddef>

__global__ void max_from_lowest(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : -FLT_MAX;  // finding: wrong-value
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = fmaxf(slots[thread], slots[thread + half]);
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
