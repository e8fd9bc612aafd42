// H20: CUB, cccl#1388. The minimum starts from the greatest finite float: the result is finite for an empty
// input or one that contains only +infinity. Fixed by +infinity.
#include <cfloat>
#include <cstddef>

__global__ void min_from_flt_max(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : FLT_MAX;  // finding: wrong-value
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = fminf(slots[thread], slots[thread + half]);
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
