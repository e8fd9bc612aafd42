// H8: Kokkos #1958. The mask of a warp barrier for groups of lanes is shifted by the lane's position in its
// group (%) instead of the group's position in the warp (/). Most lanes are not in their own mask; those that
// are wait for others that never arrive. Fixed by `lane / width * width`.
#include <cstddef>

constexpr unsigned width = 4;

/// One partial result per `width` lanes; blockDim.x is a multiple of 32.
__global__ void group_mask_by_remainder(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x, lane = thread % 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + thread;
  const unsigned members = 0xfu << (lane % width * width);
  slots[thread] = i < count ? input[i] : 0.0f;

  for (unsigned half = width / 2; half > 0; half /= 2) {
    __syncwarp(members);  // finding: invalid-mask deadlock?
    if (lane % width < half) {
      slots[thread] += slots[thread + half];  // finding: shared-race? uninitialized-read?
    }
  }
  if (lane % width == 0) partials[i / width] = slots[thread];
}
