// Loses all of 2^32 elements, but none of fewer elements.
#include <cstddef>

__global__ void narrow_count(const float* input, float* partials, std::size_t count) {
  const auto elements = static_cast<unsigned>(count);
  float value = 0;
  for (std::size_t i = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x; i < elements;
       i += std::size_t{gridDim.x} * blockDim.x) {
    value += input[i];
  }
  partials[threadIdx.x + std::size_t{blockIdx.x} * blockDim.x] = value;
}
