// Bounds for compensated sums. Symbols: oracles/bounds.h. They require additions that round to nearest and
// keep subnormals; flushing to zero breaks the error-free transformations.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/bounds.h"

namespace foldproof {

/// Sum2 and Neumaier's sum, also as a tree: every addition is a TwoSum, the errors are summed separately in
/// any order, and one final addition joins both: u |s| + (1 + u)(n - 1)(n - 2) u^2 A. For any n.
Bound compensated_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// Kahan's loop over the terms in sequence: y = x - c, t = s + y, c = (t - s) - y, s = t; the result is s. u
/// |s| + (2u + O(n u^2)) A; docs/numerics.md gives the constant. No bound once n u reaches about 1.
Bound kahan_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// Up to `loops` of Kahan's loops, whose sums are joined by TwoSums in any tree; their corrections and the
/// errors of the TwoSums are summed in any order, and one final addition joins both. `terms` includes zero
/// terms, which move a correction into the sum. `loops` is at least 1. Also holds for a single loop, whether
/// or not its correction is added.
Bound joined_kahan_bound(std::uint64_t terms, std::uint64_t loops, int precision, const Dyadic& sum,
                         const Dyadic& magnitude);

/// A tree of additions of normalized pairs (Joldes, Muller, Popescu 2017, algorithms 4 and 6); the result is
/// the high half: u |s| + (1 + u) ((1 + e)^(n - 1) - 1) A with e = 3u^2 / (1 - 4u). Requires at least three
/// bits of precision.
Bound double_float_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

}  // namespace foldproof
