// E4: an accumulator of two floats with twice the precision, which TwoSum keeps normalized.
#include <cstddef>

#include "../element_types.cuh"
#include "compensated.cuh"

/// a + b where |a| >= |b| or a is 0: half of the operations of two_sum.
template <typename T>
__device__ Compensated<T> fast_two_sum(T a, T b) {
  const T sum = a + b;
  return {sum, b - (sum - a)};
}

/// The sum of two pairs, each with a `low` of at most half a unit in the last place of `high`. The pair is
/// normalized after each part that is added: the error is little more than 3u^2 of the result even if the two
/// cancel; adding up the low parts at once and normalizing at the end has no relative bound.
struct DoubleAdd {
  template <typename Pair>
  __device__ static Pair identity() {
    return {};
  }

  template <typename T>
  __device__ static Compensated<T> apply(Compensated<T> a, Compensated<T> b) {
    const Compensated<T> high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
    if (!isfinite(high.high)) return {high.high};  // the error of an infinite sum is NaN
    const Compensated<T> sum = fast_two_sum(high.high, high.low + low.high);
    return fast_two_sum(sum.high, low.low + sum.low);
  }
};

template <typename T>
__global__ void double_float(const T* input, Compensated<Wide<T>>* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Compensated<Wide<T>> sum;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const Compensated<Wide<T>> next = two_sum(sum.high, widen(input[i]));
    sum = isfinite(next.high) ? fast_two_sum(next.high, sum.low + next.low) : Compensated<Wide<T>>{next.high};
  }

  sum = reduce_block<DoubleAdd>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
