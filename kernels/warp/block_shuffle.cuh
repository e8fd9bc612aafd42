// Reductions of a warp and of a block by shuffles: B7, and the last step of many kernels.
#pragma once

/// Folds one value per lane over the first `lanes` lanes of the warp, exactly those that call; lane 0 returns
/// the total. Needs neither shared memory nor a barrier.
template <typename Op, typename T>
__device__ T reduce_warp(T value, unsigned lanes) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned mask = 0xffffffffu >> (32 - lanes);
  for (unsigned step = 16; step > 0; step /= 2) {
    const T other = __shfl_down_sync(mask, value, step);
    // What comes from a lane outside the mask is undefined, and past lane 31 it is the lane's own value:
    // neither may be folded in.
    if (lane + step < lanes) value = Op::apply(value, other);
  }
  return value;
}

/// Folds one value per thread over a block of any size; thread 0 returns the total. All threads call.
template <typename Op, typename T>
__device__ T reduce_block(T value) {
  __shared__ T totals[32];  // a block has at most 32 warps
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warps = (blockDim.x + 31) / 32;  // rounded up, or the last, partial warp is lost

  value = reduce_warp<Op>(value, min(32u, blockDim.x - 32 * warp));
  if (lane == 0) totals[warp] = value;
  __syncthreads();

  if (warp == 0) {
    // All lanes of the warp take part, because the shuffles name them all; only `warps` totals were written.
    value = lane < warps ? totals[lane] : Op::template identity<T>();
    value = reduce_warp<Op>(value, min(32u, blockDim.x));
  }
  __syncthreads();  // a second call may not overwrite totals that the first warp still reads
  return value;
}
