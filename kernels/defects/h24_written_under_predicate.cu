// H24: csarofeen/pytorch #1579. The scratch array is written under the predicate of the load and read by all:
// past the end of the input the slots hold whatever was there. Fixed by the identity where there is no
// element: tree/sequential.cu.
#include <cstddef>

__global__ void written_under_predicate(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  if (i < count) slots[thread] = input[i];
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];  // finding: uninitialized-read
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
