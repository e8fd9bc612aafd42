// The errors of CUDA's exponential and logarithm.
#pragma once

#include "oracles/bounds/exponential.h"
#include "oracles/checker.h"

namespace foldproof {

/// Those of exp(x - max) and of log, for an accumulator of f32 or f64.
ExponentialErrors function_errors(const Arithmetic& arithmetic, const Dyadic& max);

/// Whether the differences from the maximum are rounded.
Difference difference_in(const Arithmetic& arithmetic);

/// Those of exponentials in a sum that is taken about the largest element so far, and rescaled for each
/// larger one, at most `times` times.
ExponentialErrors with_scalings(const ExponentialErrors& once, std::uint64_t times,
                                const FloatFormat& format);

}  // namespace foldproof
