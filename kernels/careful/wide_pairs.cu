// E9: 16-bit floats, two per load, folded in f32.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "pairs.cuh"

__device__ float2 widen_both(__half2 pair) { return __half22float2(pair); }
__device__ float2 widen_both(__nv_bfloat162 pair) { return __bfloat1622float2(pair); }

template <typename Op, typename T>
__global__ void wide_pairs(const T* input, float* partials, std::size_t count) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const Paired<T> paired(input, count);

  // Widened before they are added: a sum of ones stagnates at 2048 in f16, and at 256 in bf16.
  float2 values = {Op::template identity<float>(), Op::template identity<float>()};
  for (std::size_t i = first; i < paired.count; i += stride) {
    const float2 both = widen_both(paired.pairs[i]);
    values = {Op::apply(values.x, both.x), Op::apply(values.y, both.y)};
  }
  float value = Op::apply(values.x, values.y);
  if (first == 0 && paired.one_before) value = Op::apply(value, widen(input[0]));
  if (first == 0 && paired.one_behind) value = Op::apply(value, widen(input[count - 1]));

  const float total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
