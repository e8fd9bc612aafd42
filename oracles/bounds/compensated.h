// Bounds of sums that carry their rounding errors along. Symbols: oracles/bounds.h. They hold for additions
// that round to nearest and keep subnormals; flushing to zero breaks the exact transformations.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/bounds.h"

namespace foldproof {

/// Sum2 and Neumaier's sum, also as a tree: every addition is a TwoSum, the errors are added up beside it in
/// any order, and one addition joins both at the end: u |s| + (1 + u)(n - 1)(n - 2) u^2 A. For any n.
Bound compensated_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// Kahan's loop, one term after the other: y = x - c, t = s + y, c = (t - s) - y, s = t; the result is s.
/// u |s| + (2u + O(n u^2)) A with the constant spelt out in docs/numerics.md. No bound from about n u = 1 on.
Bound kahan_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// Kahan's loop in any number of threads, whose sums are joined by TwoSums in any tree; their corrections and
/// what the TwoSums lose are added up in any order, and one addition joins both at the end. `terms` counts
/// zeros too, which move a correction into the sum. Holds for one loop as well, whether its correction is
/// added or not.
Bound joined_kahan_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// A tree of additions of normalised pairs (Joldes, Muller, Popescu 2017, algorithms 4 and 6), whose upper
/// half is the result: u |s| + (1 + u) ((1 + e)^(n - 1) - 1) A with e = 3u^2 / (1 - 4u). From three bits of
/// precision on.
Bound double_float_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

}  // namespace foldproof
