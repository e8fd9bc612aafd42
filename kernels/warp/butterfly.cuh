// The total of a warp in every lane: B2, and the basis of a softmax by one warp.
#pragma once

/// Folds one value per lane; every lane returns the total. All 32 lanes call.
template <typename Op, typename T>
__device__ T reduce_butterfly(T value) {
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    // Lanes whose numbers differ in this one bit exchange their values and fold the same two. Every lane has
    // a partner in every round, where in a tree of shuffles down half of what is folded is of no use: for
    // the same five shuffles the total is everywhere, and needs no broadcast.
    value = Op::apply(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  // The same bits in every lane: partners fold in opposite order, and Op commutes.
  return value;
}
