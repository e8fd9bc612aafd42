// E7, defect: 8-bit floats added up in their own type, which has 3 or 2 fraction bits. From 16 (e4m3) or 8
// (e5m2) on, adding ones has no effect, and a sum of e4m3 stops at 448, the largest value, because conversions
// saturate. Fixed by an accumulator of f32: any kernel here that widens its elements as it loads them.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename T>
__global__ void fp8_accumulator(const T* input, float* result, std::size_t count) {
  T sum(0.0f);
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) {
    sum = T(widen(sum) + widen(input[i]));  // finding: outside-bound
  }
  const float total = reduce_block<Sum>(widen(sum));
  if (threadIdx.x == 0) *result = total;
}
