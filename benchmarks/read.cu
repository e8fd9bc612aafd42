// Reads an input and does no more: the bandwidth that a sum is held against.
#include <cstddef>

/// `vectors` of 16 bytes. `bits` is not zero, and stays so: nothing is stored, which only the caller knows.
extern "C" __global__ void read_all(const uint4* input, unsigned* never, std::size_t vectors, unsigned bits) {
  constexpr int unrolled = 8;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (unrolled - 1) * stride < vectors; i += unrolled * stride) {
    uint4 read[unrolled];
#pragma unroll
    for (int k = 0; k < unrolled; ++k) read[k] = __ldcs(&input[i + k * stride]);
#pragma unroll
    for (int k = 0; k < unrolled; ++k) bits |= read[k].x | read[k].y | read[k].z | read[k].w;
  }
  for (; i < vectors; i += stride) bits |= input[i].x | input[i].y | input[i].z | input[i].w;
  if (bits == 0) *never = bits;
}
