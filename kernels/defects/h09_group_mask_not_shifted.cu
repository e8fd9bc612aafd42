// H9: CUB #115. Groups of eight lanes shuffle under a mask of eight lanes, always the lowest of the warp: the
// other groups are not in their own mask, and what they get is undefined. Fixed by shifting the mask to the
// group, or by the full mask, since all lanes take part: warp/sub_warp.cu.
#include <cstddef>

constexpr unsigned width = 8;

/// One partial result per `width` lanes; blockDim.x is a multiple of 32.
__global__ void group_mask_not_shifted(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned members = 0xffu;
  float value = i < count ? input[i] : 0.0f;
  for (unsigned step = width / 2; step > 0; step /= 2) {
    // finding: invalid-mask undefined-shuffle-source?
    value += __shfl_down_sync(members, value, step, width);
  }
  if (threadIdx.x % width == 0) partials[i / width] = value;
}
