// Bounds of means and variances from what a tally knows of the elements.
#pragma once

#include "oracles/bounds.h"
#include "oracles/checker.h"
#include "oracles/tally.h"

namespace foldproof {

/// Of finite elements whose magnitudes do not overflow in sum.
Bound mean_bound_of(const Arithmetic& arithmetic, const Tally& values);

/// Of a population's variance. `squares`: the tally of the elements' squares. The larger of the methods'
/// bounds where the contract does not say which method it is.
Bound variance_bound_of(const Arithmetic& arithmetic, const Tally& values, const Tally& squares);

}  // namespace foldproof
