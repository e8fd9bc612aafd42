// D10: the mask is taken from __activemask() inside a branch, and lanes outside that mask are read. Their
// values are undefined; which lanes they are may even change from run to run. Seen where the full mask
// made a kernel hang. Fixed by a ballot before the branch and a test of the source lane:
// warp/partial_warp.cu.
#include <cstddef>

__global__ void mask_of_active_lanes(const float* input, float* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  float value = 0.0f;
  if (i < count) {
    value = input[i];
    const unsigned mask = __activemask();
    for (unsigned step = 16; step > 0; step /= 2) {
      value += __shfl_down_sync(mask, value, step);  // finding: undefined-shuffle-source
    }
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
