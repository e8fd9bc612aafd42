// Bounds of plain sums: every node of the tree is one rounded addition. Symbols: oracles/bounds.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/bounds/growth.h"

namespace foldproof {

/// Any order: (n - 1) u A, for any number n of nonzero terms (Jeannerod and Rump 2013). Only where additions
/// round to nearest.
Bound sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude,
                          Rounding rounding = Rounding::nearest);

/// Any tree in which no term passes through more than h additions: ((1 + u')^h - 1) A.
Bound sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude,
                          Rounding rounding = Rounding::nearest);

/// One term, and how many roundings lie on its way to the result.
struct Leaf {
  Dyadic magnitude;
  std::uint64_t roundings = 0;
};

/// A known tree: sum of |x_i| ((1 + u')^d_i - 1). For products, |x_i y_i| with one rounding more where they
/// are rounded before they are added; their underflow comes on top (dot_underflow).
Bound sum_bound_of_leaves(std::span<const Leaf> leaves, int precision, Rounding rounding = Rounding::nearest);

/// A run that was watched: the sum of half an ulp of every result of an addition of two nonzero values
/// (rounded faithfully: of a whole ulp). Results below twice the smallest normal are exact and count nothing.
/// `partial_sums` are those results as computed, the final one included; all are values of the format.
Bound sum_bound_of_partial_sums(std::span<const Dyadic> partial_sums, const FloatFormat& format,
                                Rounding rounding = Rounding::nearest);

/// Terms that are known with an error each, then summed in any order: E + (T - 1) u (A + E), of T terms with
/// A the sum of the exact magnitudes and E the sum of the errors. So a tree over what threads computed, or a
/// sum of converted inputs, is bounded by parts.
Bound sum_bound_of_approximate_terms(std::uint64_t terms, int precision, const Dyadic& magnitude,
                                     const Dyadic& errors);
/// The same in a tree of height h: E + ((1 + u')^h - 1)(A + E).
Bound sum_bound_of_approximate_terms(std::uint64_t terms, std::uint64_t height, int precision,
                                     const Dyadic& magnitude, const Dyadic& errors);

/// Each inclusive prefix sum with the magnitudes that it has got, in any order: (i - 1) u A_i.
std::vector<Dyadic> scan_bounds_any_order(std::span<const Dyadic> magnitudes, int precision);

/// What flushing subnormal results to zero adds to any of the bounds above, whatever the tree: less than the
/// smallest normal value for every second term. Subnormal terms may also be flushed: `subnormal_magnitude` is
/// the sum of their magnitudes.
Dyadic flush_to_zero_loss(std::uint64_t terms, const FloatFormat& format, const Dyadic& subnormal_magnitude);

/// Rounding terms to a format on the way in: u A + terms * eta / 2.
Dyadic conversion_bound(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude);

}  // namespace foldproof
