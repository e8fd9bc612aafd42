// Rigorous bounds on the error of floating-point reductions. No bound is ever rounded down.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/dyadic.h"

namespace foldproof {

/// (1 + u')^steps - 1 with u' = u / (1 + u), u = 2^-precision, rounded up; nothing where it is so large that
/// it says nothing (steps * u beyond 32).
std::optional<Dyadic> growth(std::uint64_t steps, int precision);

/// A sum of `terms` nonzero terms in any order, rounded to nearest, without overflow: (terms - 1) u A, with A
/// the sum of magnitudes (Rump 2012; Jeannerod and Rump 2013). Adding a zero is exact and counts no term.
Dyadic sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude);

/// A dot product of `terms` nonzero products A = sum |x y|, each rounded to nearest and added in any order,
/// without overflow: terms * u A (Jeannerod and Rump 2013), and half the smallest subnormal for each product
/// that underflows. With one rounding for both (fma) the error is no larger.
Dyadic dot_bound_any_order(std::uint64_t terms, Element accumulator, const Dyadic& magnitude);

/// A sum over any tree in which no term passes through more than `height` additions:
/// ((1 + u')^height - 1) A. Nothing where growth() says nothing.
std::optional<Dyadic> sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude);

/// What the sum bound grows to where subnormal inputs and results are flushed to zero: each of the terms and
/// each of the additions loses less than the smallest normal value, and that loss grows on its way up.
std::optional<Dyadic> sum_bound_with_flush(std::uint64_t terms, Element accumulator, const Dyadic& magnitude);

/// Rounding terms to the accumulator's format on the way in: u A + terms * (half the smallest subnormal).
Dyadic conversion_bound(std::uint64_t terms, Element accumulator, const Dyadic& magnitude);

}  // namespace foldproof
