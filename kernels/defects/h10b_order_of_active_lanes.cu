// H10b: AdaptiveCpp #823. The lanes that happen to run together add up their values, and one of them adds the
// sum to the total. No lane is lost or repeated, but which lanes run together is unspecified, and so is the
// order of a sum that is claimed to be the same every time. Fixed by the group's own mask.
#include <cstddef>

__global__ void order_of_active_lanes(const float* input, float* partials, std::size_t count) {
  __shared__ float total;
  const unsigned lane = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 32 + lane;
  const float value = i < count ? input[i] : 0.0f;
  if (lane == 0) total = 0.0f;
  __syncwarp();

  const unsigned together = __activemask();  // finding: schedule-dependent
  float sum = 0.0f;
  for (unsigned left = together; left != 0; left &= left - 1) {
    sum += __shfl_sync(together, value, __ffs(left) - 1);
  }
  if (lane == __ffs(together) - 1) atomicAdd(&total, sum);
  __syncwarp();
  if (lane == 0) partials[blockIdx.x] = total;
}
