// E7: 8-bit floats, four per load, folded in f32.
#include <cstddef>
#include <cstdint>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// Four elements as one word.
template <typename T>
struct QuadOf;
template <>
struct QuadOf<__nv_fp8_e4m3> {
  using Type = __nv_fp8x4_e4m3;
};
template <>
struct QuadOf<__nv_fp8_e5m2> {
  using Type = __nv_fp8x4_e5m2;
};

/// In its own format, a sum of e4m3 stagnates at 16 times its elements and never exceeds 448. f32 represents
/// every value of both formats, and the sum of a million equal ones.
template <typename Op, typename T>
__global__ void fp8(const T* input, float* partials, std::size_t count) {
  using Quad = typename QuadOf<T>::Type;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;

  // A word must be aligned to four bytes: the elements before the first boundary are folded one by one.
  const std::size_t head = min(count, std::size_t{(4 - reinterpret_cast<std::uintptr_t>(input) % 4) % 4});
  const std::size_t quads = (count - head) / 4;
  const Quad* body = reinterpret_cast<const Quad*>(input + head);

  constexpr float none = Op::template identity<float>();
  float4 values = {none, none, none, none};
  for (std::size_t i = first; i < quads; i += stride) {
    const float4 four = static_cast<float4>(body[i]);
    values = {Op::apply(values.x, four.x), Op::apply(values.y, four.y), Op::apply(values.z, four.z),
              Op::apply(values.w, four.w)};
  }
  float value = Op::apply(Op::apply(values.x, values.y), Op::apply(values.z, values.w));
  for (std::size_t i = first; i < head; i += stride) value = Op::apply(value, widen(input[i]));
  for (std::size_t i = head + 4 * quads + first; i < count; i += stride) {
    value = Op::apply(value, widen(input[i]));
  }

  const float total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
