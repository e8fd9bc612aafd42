// Sums that carry their rounding errors along, and how blocks and grids fold them.
#pragma once

#include "../warp/block_shuffle.cuh"

/// Represents high + low; `high` is the plain sum or close to it.
template <typename T>
struct Compensated {
  T high = 0, low = 0;
};

/// a + b without error: the rounded sum and its rounding error, which is itself a value of T (Knuth's
/// TwoSum). Correct for any two magnitudes, without a branch.
template <typename T>
__device__ Compensated<T> two_sum(T a, T b) {
  const T sum = a + b;
  const T of_b = sum - a;
  const T of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
}

/// Joins two sums: both carried errors are kept, and so is the error of joining them.
struct Merge {
  template <typename Pair>
  __device__ static Pair identity() {
    return {};
  }

  template <typename T>
  __device__ static Compensated<T> apply(Compensated<T> a, Compensated<T> b) {
    const Compensated<T> sum = two_sum(a.high, b.high);
    return {sum.high, sum.low + (a.low + b.low)};
  }
};

/// Rounds once. The error of an infinite or undefined sum is NaN and is ignored.
template <typename T>
__device__ T rounded(Compensated<T> sum) {
  return isfinite(sum.high) ? sum.high + sum.low : sum.high;
}

/// Lets reduce_block fold pairs like numbers. A tree over rounded sums would lose the errors that the threads
/// have kept.
template <typename T>
__device__ Compensated<T> __shfl_down_sync(unsigned mask, Compensated<T> sum, unsigned step) {
  return {__shfl_down_sync(mask, sum.high, step), __shfl_down_sync(mask, sum.low, step)};
}

/// The second launch, of one block: joins the pairs written by the blocks of the first.
template <typename Join, typename T>
__global__ void merge_partials(const Compensated<T>* partials, T* output, unsigned count) {
  Compensated<T> sum;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sum = Join::apply(sum, partials[i]);

  sum = reduce_block<Join>(sum);
  if (threadIdx.x == 0) *output = rounded(sum);
}
