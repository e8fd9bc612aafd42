// Whether two runs gave the same results, for results too large to be copied from a GPU. It is not a
// reduction and has no contract: `foldproof audit --large` launches it.
#include <cstddef>

/// Sets `differ` if a byte of one differs from that of the other.
extern "C" __global__ void compare_bytes(const unsigned char* one, const unsigned char* other, std::size_t count,
                                         unsigned* differ) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  bool is_other = false;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    is_other |= one[i] != other[i];
  if (is_other) atomicOr(differ, 1);
}
