// Ends for up to 2^24 elements, and does not end for more.
#include <cstddef>

__global__ void endless(const float* input, volatile float* partials, std::size_t count) {
  float value = 0;
  for (std::size_t i = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    value += input[i];
  }
  const std::size_t own = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x;
  do {
    partials[own] = value;
  } while (count > std::size_t{1} << 24 && partials[own] == value);
}
