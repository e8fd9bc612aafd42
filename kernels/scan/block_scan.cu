// G2: a block's scan: each warp scans its lanes by shuffles, the first warp scans the warps' totals, and every
// warp adds what stands before it.
#include <cstddef>

#include "../reduction_operators.cuh"

/// Hillis and Steele: after the round of step s each lane has the fold of the 2s lanes up to its own.
template <typename Op, typename T>
__device__ T warp_scan(T value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value = Op::apply(before, value);
  }
  return value;
}

/// One block, a multiple of 32. `exclusive`: each result lacks its own element.
template <typename Op, typename T, bool exclusive>
__global__ void block_scan(const T* input, T* scan, unsigned count) {
  __shared__ T totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T value = threadIdx.x < count ? input[threadIdx.x] : Op::template identity<T>();

  value = warp_scan<Op>(value);
  if (lane == 31) totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const T total = lane < blockDim.x / 32 ? totals[lane] : Op::template identity<T>();
    totals[lane] = warp_scan<Op>(total);
  }
  __syncthreads();

  if constexpr (exclusive) {
    value = __shfl_up_sync(0xffffffffu, value, 1);
    if (lane == 0) value = Op::template identity<T>();
  }
  if (warp > 0) value = Op::apply(totals[warp - 1], value);
  if (threadIdx.x < count) scan[threadIdx.x] = value;
}
