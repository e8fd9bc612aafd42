// E9: packed arithmetic: one instruction folds two floats of 16 bits, in their own precision.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "pairs.cuh"

/// An operator on both halves of a pair at once. The forms of minimum and maximum that end in _nan propagate
/// NaN, as the operators do; plain __hmin2 drops it.
template <typename Op>
struct Packed {
  template <typename P>
  __device__ static P identity() {
    const float one = Op::template identity<float>();  // 0, 1 or an infinity: a value of every format
    if constexpr (std::is_same_v<P, __half2>) {
      return __float2half2_rn(one);
    } else {
      return __float2bfloat162_rn(one);
    }
  }

  template <typename P>
  __device__ static P apply(P a, P b) {
    if constexpr (std::is_same_v<Op, Sum>) return __hadd2_rn(a, b);
    if constexpr (std::is_same_v<Op, Prod>) return __hmul2_rn(a, b);
    if constexpr (std::is_same_v<Op, Min>) return __hmin2_nan(a, b);
    if constexpr (std::is_same_v<Op, Max>) return __hmax2_nan(a, b);
  }
};

/// Twice the rate of f32, at the price of 11 or 8 bits: for sums of few or small elements, and for extremes,
/// which do not round.
template <typename Op, typename T>
__global__ void packed_pairs(const T* input, T* partials, std::size_t count) {
  using Fold = Packed<Op>;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const Paired<T> paired(input, count);

  Pair<T> value = Fold::template identity<Pair<T>>();
  for (std::size_t i = first; i < paired.count; i += stride) value = Fold::apply(value, paired.pairs[i]);
  // An element without a neighbour has the identity for one.
  const auto alone = [](T element) { return Pair<T>{element, Fold::template identity<Pair<T>>().y}; };
  if (first == 0 && paired.one_before) value = Fold::apply(value, alone(input[0]));
  if (first == 0 && paired.one_behind) value = Fold::apply(value, alone(input[count - 1]));

  const Pair<T> total = reduce_block<Fold>(value);
  // The halves change places, so that the same instruction folds one with the other.
  if (threadIdx.x == 0) partials[blockIdx.x] = Fold::apply(total, Pair<T>{total.y, total.x}).x;
}
