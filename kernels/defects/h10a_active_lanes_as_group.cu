// H10a: AdaptiveCpp #823. __activemask() is assumed to be the mask of the group. It names the lanes that
// happen to run together, which need not be all of them: a lane outside the mask is read nevertheless. Fixed
// by passing the group's own mask: warp/shuffle_down.cu.
#include <cstddef>

__device__ float group_sum(float value) {
  const unsigned members = __activemask();
  for (unsigned step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(members, value, step);  // finding: undefined-shuffle-source
  }
  return value;
}

__global__ void active_lanes_as_group(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  const float total = group_sum(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
