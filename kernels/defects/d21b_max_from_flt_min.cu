// D21b: the maximum pads with FLT_MIN, which sounds like the lowest float but is the smallest positive normal
// one: a negative maximum is returned as 1.2e-38. Seen in many hand-written maxima. Fixed by -infinity:
// reduction_operators.cuh.
#include <cfloat>
#include <cstddef>

__global__ void max_from_flt_min(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : FLT_MIN;  // finding: wrong-value
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = fmaxf(slots[thread], slots[thread + half]);
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
