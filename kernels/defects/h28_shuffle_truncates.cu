// H28: arbor #2247. A wrapper around the shuffle takes and returns int, and C++ converts its
// float arguments silently: their fractions are lost. All tests with integers pass. Fixed by a
// template.
#include <cstddef>

__device__ int shuffle_down(int value, unsigned step) { return __shfl_down_sync(0xffffffffu, value, step); }

__global__ void shuffle_truncates(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  float value = i < count ? input[i] : 0.0f;
  for (unsigned step = 16; step > 0; step /= 2) {
    value += shuffle_down(value, step);  // finding: wrong-value
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
