// The scan of a warp by shuffles: B10 and G1, and the basis of G2 and G3.
#pragma once

/// The Hillis-Steele scan: lane l returns the fold of the values of lanes 0 to l. Only the first `lanes`
/// lanes of the warp may call it.
template <typename Op, typename T>
__device__ T scan_warp(T value, unsigned lanes) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned mask = 0xffffffffu >> (32 - lanes);
  // After the round of step s each lane has the fold of the 2s lanes up to its own.
  for (unsigned step = 1; step < lanes; step *= 2) {
    // Outside the branch, because every lane that the mask names has to make the shuffle.
    const T before = __shfl_up_sync(mask, value, step);
    // A lane with none `step` below it got its own value back, which must not be folded in twice. Lower lanes
    // always take part, so that a partial warp needs no other bound.
    if (lane >= step) value = Op::apply(before, value);
  }
  return value;
}

/// Converts an inclusive scan to an exclusive one: each lane takes the value of the lane below, the first the
/// identity. Removing its own value again is not possible for a maximum, and not exact for floats.
template <typename Op, typename T>
__device__ T without_own(T scanned, unsigned lanes) {
  const T before = __shfl_up_sync(0xffffffffu >> (32 - lanes), scanned, 1);
  return threadIdx.x % 32 == 0 ? Op::template identity<T>() : before;
}
