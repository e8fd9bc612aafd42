// The scan of a block: G2, and the basis of G3.
#pragma once

#include "warp_scan.cuh"

/// The result of a block scan for one thread.
template <typename T>
struct Scanned {
  T value;  ///< the fold of the values up to its own, or of those before it
  T total;  ///< the fold of all values of the block
};

/// Scans one value per thread over a block of any size. All threads call.
template <typename Op, bool exclusive, typename T>
__device__ Scanned<T> scan_block(T value) {
  __shared__ T totals[32];  // a block has at most 32 warps
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warps = (blockDim.x + 31) / 32, lanes = min(32u, blockDim.x - 32 * warp);

  value = scan_warp<Op>(value, lanes);
  if (lane == lanes - 1) totals[warp] = value;
  __syncthreads();

  if (warp == 0) {
    // All lanes of the warp take part, because the shuffles name them all; only `warps` totals were written.
    const T total = lane < warps ? totals[lane] : Op::template identity<T>();
    const T scanned = scan_warp<Op>(total, lanes);
    if (lane < warps) totals[lane] = scanned;
  }
  __syncthreads();

  if constexpr (exclusive) value = without_own<Op>(value, lanes);
  // The previous warps are the left operand: the order matters to operators that do not commute.
  if (warp > 0) value = Op::apply(totals[warp - 1], value);
  const T total = totals[warps - 1];
  __syncthreads();  // a second call may not overwrite totals that slower warps still read
  return {value, total};
}
