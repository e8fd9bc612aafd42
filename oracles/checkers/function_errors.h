// The errors of CUDA's exponential and logarithm.
#pragma once

#include "oracles/bounds/exponential.h"
#include "oracles/checker.h"

namespace foldproof {

/// Those of exp(x - max) and of log, for an accumulator of f32 or f64.
ExponentialErrors function_errors(const Arithmetic& arithmetic, const Dyadic& max);

}  // namespace foldproof
