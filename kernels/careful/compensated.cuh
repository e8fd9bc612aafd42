// Sums that carry along what their additions have lost, and how blocks and grids fold them.
#pragma once

#include <cstddef>

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

/// Two sums joined: nothing that either carries is lost.
struct Merge {
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

/// Folds one pair a thread over a block of any size; thread 0 returns the total. As B7, but joining pairs: a
/// plain tree over rounded sums would lose again what the threads have kept.
template <typename Join, typename T>
__device__ Compensated<T> merge_block(Compensated<T> value) {
  __shared__ Compensated<T> totals[32];  // a block has at most 32 warps
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warps = (blockDim.x + 31) / 32;
  const unsigned lanes = min(32u, blockDim.x - 32 * warp);

  const auto merge_warp = [lane](Compensated<T> sum, unsigned live) {
    const unsigned mask = 0xffffffffu >> (32 - live);
    for (unsigned step = 16; step > 0; step /= 2) {
      const T high = __shfl_down_sync(mask, sum.high, step), low = __shfl_down_sync(mask, sum.low, step);
      if (lane + step < live) sum = Join::apply(sum, Compensated<T>{high, low});
    }
    return sum;
  };

  value = merge_warp(value, lanes);
  if (lane == 0) totals[warp] = value;
  __syncthreads();

  if (warp == 0) {
    value = lane < warps ? totals[lane] : Compensated<T>{};
    value = merge_warp(value, min(32u, blockDim.x));
  }
  return value;
}

/// The second launch, of one block: joins the pairs that the blocks of the first have left.
template <typename Join, typename T>
__global__ void merge_partials(const Compensated<T>* partials, T* output, unsigned count) {
  Compensated<T> sum;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sum = Join::apply(sum, partials[i]);

  sum = merge_block<Join>(sum);
  if (threadIdx.x == 0) *output = rounded(sum);
}
