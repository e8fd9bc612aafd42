// Whether two runs left the same: results that are too large to be fetched from a GPU. No variant of a
// reduction, and without a contract: `foldproof audit --large` launches it.
#include <cstddef>

/// Sets `differ` where a byte of the one is not that of the other.
extern "C" __global__ void compare_bytes(const unsigned char* one, const unsigned char* other, std::size_t count,
                                         unsigned* differ) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  bool is_other = false;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    is_other |= one[i] != other[i];
  if (is_other) atomicOr(differ, 1);
}
