// Count, mean and sum of squared deviations of a part, and how those of two parts become one.
#pragma once

template <typename W>
struct PartMoments {
  unsigned count = 0;  ///< not a float, which would stagnate at 2^24
  W mean = 0;
  W deviations = 0;  ///< the sum of their squares
};

/// Welford's step: the mean moves by its share of the deviation, and the squares grow by the deviations from
/// the old mean and from the new one.
template <typename W>
__device__ PartMoments<W> extended(PartMoments<W> part, W x) {
  const W before = x - part.mean;
  ++part.count;
  part.mean += before / static_cast<W>(part.count);
  part.deviations += before * (x - part.mean);
  return part;
}

/// The combined moments of two parts; either part may be empty (Chan, Golub and LeVeque).
template <typename W>
__device__ PartMoments<W> merge(PartMoments<W> a, PartMoments<W> b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const unsigned count = a.count + b.count;
  const W distance = b.mean - a.mean, share = static_cast<W>(b.count) / static_cast<W>(count);
  return {count, a.mean + distance * share,
          a.deviations + b.deviations + distance * distance * (static_cast<W>(a.count) * share)};
}

/// Merges one part per thread in a tree; thread 0 returns the whole. `parts` has as many elements as the
/// block has threads, which may be any number.
template <typename W>
__device__ PartMoments<W> merge_block(PartMoments<W> mine, PartMoments<W>* parts) {
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1;) {
    const unsigned half = (width + 1) / 2;  // rounded up: the middle one of an odd number has no partner
    if (threadIdx.x + half < width) {
      parts[threadIdx.x] = merge(parts[threadIdx.x], parts[threadIdx.x + half]);
    }
    __syncthreads();
    width = half;
  }
  return parts[threadIdx.x];
}
