// H12: TVM #12274. A row of fewer than 16 elements is folded as if it had 16 lanes: the maximum may be the
// value of a lane that does not exist. Fixed by a full group of lanes with identities, or by a test of the
// source lane: warp/partial_warp.cu.
#include <cstddef>

#include "../reduction_operators.cuh"

/// blockDim.x is 1 … 16.
__global__ void maximum_of_absent_lanes(const int* input, int* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int value = i < count ? input[i] : Max::identity<int>();
  for (unsigned step = 8; step > 0; step /= 2) {
    // finding: undefined-shuffle-source
    value = max(value, __shfl_down_sync(0xffffu, value, step, 16));
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}
