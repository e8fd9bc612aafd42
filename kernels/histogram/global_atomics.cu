// G4: a histogram of 256 bins: every thread counts its elements in global memory by atomics.
#include <cstddef>

#include "bin.cuh"

/// `bins` holds zeros before every launch.
template <typename T>
__global__ void global_atomics(const T* input, unsigned* bins, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const unsigned bin = bin_of(input[i], 256);
    if (bin < 256) atomicAdd(&bins[bin], 1u);
  }
}
