// H21: PyTorch #7052. fmaxf returns the other operand if one is NaN, so a NaN in the input is dropped, although
// the contract says that it propagates. Fixed by a fold that keeps it: Max in reduction_operators.cuh.
#include <cmath>
#include <cstddef>

__global__ void nan_dropped(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  slots[thread] = i < count ? input[i] : -INFINITY;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = fmaxf(slots[thread], slots[thread + half]);  // finding: wrong-value
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
