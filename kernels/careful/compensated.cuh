// Sums that carry along what their additions have lost, and how blocks and grids fold them.
#pragma once

#include "../warp/block_shuffle.cuh"

/// Stands for high + low, of which `high` is what a plain sum would be, or near it.
template <typename T>
struct Compensated {
  T high = 0, low = 0;
};

/// a + b without any error: the rounded sum and what rounding took from it, which is a value of T itself
/// (Knuth's TwoSum). Right for any two magnitudes, and without a branch.
template <typename T>
__device__ Compensated<T> two_sum(T a, T b) {
  const T sum = a + b;
  const T of_b = sum - a;
  const T of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
}

/// Two sums joined: what either carries is kept, and so is what joining them loses.
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

/// Rounds once. What an infinite or undefined sum has lost is not a number, and says nothing.
template <typename T>
__device__ T rounded(Compensated<T> sum) {
  return isfinite(sum.high) ? sum.high + sum.low : sum.high;
}

/// Lets reduce_block fold pairs like numbers. A tree over rounded sums would lose again what the threads have
/// kept.
template <typename T>
__device__ Compensated<T> __shfl_down_sync(unsigned mask, Compensated<T> sum, unsigned step) {
  return {__shfl_down_sync(mask, sum.high, step), __shfl_down_sync(mask, sum.low, step)};
}

/// The second launch, of one block: joins the pairs that the blocks of the first have left.
template <typename Join, typename T>
__global__ void merge_partials(const Compensated<T>* partials, T* output, unsigned count) {
  Compensated<T> sum;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sum = Join::apply(sum, partials[i]);

  sum = reduce_block<Join>(sum);
  if (threadIdx.x == 0) *output = rounded(sum);
}
