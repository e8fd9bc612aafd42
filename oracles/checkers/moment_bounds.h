// Bounds for means, variances and sums of squares, derived from a tally of the elements.
#pragma once

#include "oracles/bounds.h"
#include "oracles/checker.h"
#include "oracles/tally.h"

namespace foldproof {

/// For finite elements whose magnitudes do not overflow when summed.
Bound mean_bound_of(const Arithmetic& arithmetic, const Tally& values);

/// For the mean that LayerNorm subtracts, by the method of its variance.
Bound layer_mean_bound_of(const Arithmetic& arithmetic, const Tally& values);

/// For the sum of the elements' squares before a root or the output is rounded. `squares`: their tally.
Bound square_sum_bound_of(const Arithmetic& arithmetic, const Tally& squares);

/// Whether a variance may be infinite because of an infinite element: parts that are merged give that, and
/// the other methods NaN, as for an element that is NaN.
bool may_spread_infinitely(const Arithmetic& arithmetic, const Tally& values);

/// Whether n - correction is not positive, so that the variance is not defined. Kernels return NaN, 0 or what
/// they return for two elements.
bool lacks_divisor(const Arithmetic& arithmetic, const Tally& values);
inline constexpr const char* why_undefined =
    "the variance of a sample of fewer than two elements is not defined";

/// For a variance. `squares`: the tally of the elements' squares. If the contract does not
/// name the method, the largest bound of all methods.
Bound variance_bound_of(const Arithmetic& arithmetic, const Tally& values, const Tally& squares);

}  // namespace foldproof
