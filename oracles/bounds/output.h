// What writing a result into a format of its own adds to a bound.
#pragma once

#include "oracles/bound.h"

namespace foldproof {

/// Rounding to a floating-point format what lies within `bound` of `exact`: bound + ulp(|exact| + bound) / 2.
Bound output_bound(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output);

/// Whether what lies within a bound of the exact result overflows when it is rounded to a format.
enum class Overflow : std::uint8_t { impossible, possible, certain };
/// Never certain of a format that saturates; what lies on the threshold itself is only possible, since the
/// tie goes up in most formats and down in e4m3.
Overflow overflow_of(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output);

}  // namespace foldproof
