// P1: the first pass leaves the total of each block in that block's first element; the second pass reads as many elements
// from the beginning, so it adds elements of the first blocks instead of totals. Seen in a benchmark suite. Fixed by the
// same stride in both passes, or by an array of totals: C1.
#include <cstddef>

__global__ void totals_in_place(const float* input, float* values, std::size_t count) {
  __shared__ float slots[256];
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  values[i] = slots[threadIdx.x] = i < count ? input[i] : 0.0f;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) slots[threadIdx.x] += slots[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) values[i] = slots[0];
}

__global__ void sum_of_totals(const float* values, float* output, unsigned blocks) {
  float total = 0.0f;
  for (unsigned b = 0; b < blocks; ++b) total += values[b];  // finding: wrong-value input-not-used? input-used-twice?
  *output = total;
}
