// D20: the maximum of floats by atomicMax on their bits. The bits of positive floats are ordered like
// integers, those of negative floats backwards: of two negative totals the lower one wins. Seen where inputs
// were lengths or scores, never negative. Fixed by an order-preserving mapping: atomic_operators.cuh.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `*result` is -infinity before every launch.
__global__ void float_max_by_bits(const float* input, float* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float total = reduce_block<Max>(i < count ? input[i] : Max::identity<float>());
  if (threadIdx.x == 0) {
    atomicMax(reinterpret_cast<int*>(result), __float_as_int(total));  // finding: wrong-value
  }
}
