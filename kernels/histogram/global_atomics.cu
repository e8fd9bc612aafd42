// G4: a histogram of bytes: every thread counts its elements in the 256 bins of global memory by atomics.
#include <cstddef>

/// `bins` holds zeros before every launch.
__global__ void global_atomics(const unsigned char* input, unsigned* bins, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    atomicAdd(&bins[input[i]], 1u);
  }
}
