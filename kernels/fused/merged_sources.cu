// F5: log-sum-exp over two sources, such as a cached prefix and a new segment. Each source is summed
// separately: their pairs are merged at the end, so that neither is needed while the other is read.
#include <cstddef>

#include "../element_types.cuh"
#include "running_sum.cuh"

/// A block's pair for one source, in tiles of as many scores as the block has threads. Each tile is summed
/// relative to its own maximum, and merged with the tiles before it.
template <typename T>
__device__ RunningSum<Wide<T>> sum_of_source(const T* scores, std::size_t count) {
  RunningSum<Wide<T>> running;
  for (std::size_t tile = 0; tile < count; tile += blockDim.x) {
    RunningSum<Wide<T>> mine;
    if (tile + threadIdx.x < count) mine = {widen(scores[tile + threadIdx.x]), 1};
    running = merge(running, merge_block(mine));
  }
  return running;
}

template <typename T>
__global__ void merged_sources(const T* prefix, std::size_t prefix_count, const T* segment,
                               std::size_t segment_count, Wide<T>* result) {
  const RunningSum<Wide<T>> both =
      merge(sum_of_source(prefix, prefix_count), sum_of_source(segment, segment_count));
  if (threadIdx.x == 0) *result = origin_of(both.highest) + log(both.sum);
}
