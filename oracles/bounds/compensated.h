// Bounds of sums that carry their rounding errors along. Symbols: oracles/bounds.h. They hold for additions
// that round to nearest and keep subnormals; flushing to zero breaks the exact transformations.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/bounds/growth.h"

namespace foldproof {

/// Sum2 and Neumaier's sum, also as a tree: every addition is a TwoSum, the errors are added up beside it in
/// any order, and one addition joins both at the end: u |s| + (1 + u)(n - 1)(n - 2) u^2 A. For any n.
Bound compensated_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// Kahan's loop, one term after the other: y = x - c, t = s + y, c = (t - s) - y, s = t; the result is s.
/// u |s| + (2u + O(n u^2)) A with the constant spelt out in docs/numerics.md. No bound from about n u = 1 on.
Bound kahan_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude);

/// What one thread sums.
struct Share {
  std::uint64_t terms = 0;
  Dyadic sum;        ///< exact; only its magnitude matters
  Dyadic magnitude;  ///< of its terms
};

/// Every thread sums its share with compensation and hands on one rounded value; those are added plainly in a
/// tree of this height.
Bound compensated_shares_bound(std::span<const Share> shares, std::uint64_t height, int precision);
/// The same with Kahan's loop in every thread.
Bound kahan_shares_bound(std::span<const Share> shares, std::uint64_t height, int precision);

}  // namespace foldproof
