// The pair that online softmax maintains: the highest score so far, and the sum of the exponentials relative
// to it.
#pragma once

#include "../reduction_operators.cuh"
#include "block_broadcast.cuh"
#include "exponentials.cuh"

template <typename W>
struct RunningSum {
  W highest = Max::identity<W>();
  W sum = 0;
};

/// Merges both. The sum relative to the lower maximum is rescaled to the higher one. For masked scores only,
/// the sum is 0, since exp(-inf - 0) is 0.
template <typename W>
__device__ RunningSum<W> merge(RunningSum<W> a, RunningSum<W> b) {
  const W highest = Max::apply(a.highest, b.highest), origin = origin_of(highest);
  return {highest, a.sum * exp(a.highest - origin) + b.sum * exp(b.highest - origin)};
}

template <typename W>
__device__ RunningSum<W> extended(RunningSum<W> running, W score) {
  return merge(running, {score, 1});
}

/// The pairs of a block's threads merged, in every thread: the maximum of all first, so that each is scaled
/// once and not at every level of a tree.
template <typename W>
__device__ RunningSum<W> merge_block(RunningSum<W> mine) {
  const W highest = reduce_and_broadcast<Max>(mine.highest);
  const W scaled = mine.sum * exp(mine.highest - origin_of(highest));
  return {highest, reduce_and_broadcast<Sum>(scaled)};
}
