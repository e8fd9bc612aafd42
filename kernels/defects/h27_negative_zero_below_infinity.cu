// H27: XLA #5544, where the maximum of 8193 elements -0.0 was -inf. The initial value -infinity is never
// replaced: -0.0 is not below 0, so it is treated like a positive float, but its bits are those of the lowest
// integer. Fixed by a test of the sign bit: atomic_operators.cuh.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `*result` is -infinity before every launch.
__global__ void negative_zero_below_infinity(const float* input, float* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Max>(i < count ? input[i] : Max::identity<float>());
  if (threadIdx.x != 0) return;
  const int bits = __float_as_int(total);
  if (total >= 0.0f) {
    atomicMax(reinterpret_cast<int*>(result), bits);  // finding: wrong-value
  } else {
    atomicMin(reinterpret_cast<unsigned*>(result), static_cast<unsigned>(bits));
  }
}
