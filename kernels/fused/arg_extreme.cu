// F3: the index of the smallest or largest element. A block folds pairs of value and index; of equal values,
// the lowest index wins, so the result depends only on the input.
#include <cstddef>
#include <cstdint>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename T>
struct Place {
  using Value = T;
  T value;
  std::uint32_t index;
};

/// Lets reduce_warp and reduce_block fold pairs like numbers.
template <typename T>
__device__ Place<T> __shfl_down_sync(unsigned mask, Place<T> place, unsigned step) {
  return {__shfl_down_sync(mask, place.value, step), __shfl_down_sync(mask, place.index, step)};
}

/// Whether a comes before b: a NaN before every number, then the better value, then the lower index. A total
/// order, without which the result would depend on how the tree is built.
template <typename Extreme, typename T>
__device__ bool precedes(Place<T> a, Place<T> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return a_nan;
  // -0 equals +0 here, although the maximum itself tells them apart: the lower index wins.
  if (!a_nan && a.value != b.value) return Extreme::apply(a.value, b.value) == a.value;
  return a.index < b.index;
}

template <typename Extreme>
struct ArgExtreme {
  /// The worst value at an index beyond all others, so that even an element equal to it wins.
  template <typename P>
  __device__ static P identity() {
    return {Extreme::template identity<typename P::Value>(), 0xffffffffu};
  }
  template <typename P>
  __device__ static P apply(P a, P b) {
    return precedes<Extreme>(b, a) ? b : a;
  }
};

using ArgMin = ArgExtreme<Min>;
using ArgMax = ArgExtreme<Max>;

/// One block of any size; `count` is at least 1, since an empty input has no index.
template <typename Op, typename T>
__global__ void arg_extreme(const T* input, std::uint32_t* result, std::uint32_t count) {
  using Pair = Place<Wide<T>>;
  Pair best = Op::template identity<Pair>();
  // In 64 bits, since a count near the largest leaves no room for the last step.
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) {
    best = Op::apply(best, Pair{widen(input[i]), static_cast<std::uint32_t>(i)});
  }

  best = reduce_block<Op>(best);
  if (threadIdx.x == 0) *result = best.index;
}
