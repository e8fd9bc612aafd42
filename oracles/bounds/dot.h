// Bounds of dot products and norms. Symbols: oracles/bounds.h; the terms here are the exact products x_i y_i.
#pragma once

#include <cstdint>

#include "oracles/bounds/growth.h"

namespace foldproof {

/// Any order, with separate or fused multiplications, also both: n u A + underflow (1 + n u) with n the
/// number of nonzero products and A = sum |x_i y_i| (Jeannerod and Rump 2013; the underflow is ours).
/// `inexact`: how many of them are not multiples of eta, so that underflow may round them; each costs eta
/// / 2.
Bound dot_bound_any_order(std::uint64_t terms, std::uint64_t inexact, const FloatFormat& format,
                          const Dyadic& magnitude);

/// The same where subnormal inputs and results are flushed to zero. `lost`: the sum of |x_i y_i| over the
/// products with a subnormal factor.
Bound dot_bound_with_flush(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude,
                           const Dyadic& lost);

/// What underflow of products adds to sum_bound_of_leaves in a tree of height h: inexact * eta / 2, grown.
Bound dot_underflow(std::uint64_t inexact, std::uint64_t height, const FloatFormat& format);

/// The square root of a sum of squares Q that is known to within `error`: the largest distance of what it is
/// rounded to from sqrt(Q), where the root has a relative error of at most `root_error` and costs eta / 2
/// where it is subnormal. Q and all else not negative.
Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format,
                 const Dyadic& root_error);
/// With a correctly rounded root.
Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format);

}  // namespace foldproof
