#include <cstddef>

__global__ void sum(const float* input, float* partials, std::size_t count) {
  __shared__ float totals[256];
  const unsigned thread = threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * 256;

  std::size_t i = std::size_t{blockIdx.x} * 256 + thread;
  float total = 0.0f;
  float next = i < count ? input[i] : 0.0f;
  for (; i < count; i += stride) {
    const float current = next;
    next = input[i + stride];
    total += current;
  }

  totals[thread] = total;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (thread < half) totals[thread] += totals[thread + half];
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = totals[0];
}
