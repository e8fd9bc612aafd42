// Rigorous bounds on the error of floating-point reductions; docs/numerics.md derives each.
//
//   p, u        precision of the format in which the operations round; unit roundoff 2^-p
//   u'          u / (1 + u): the largest relative error of one operation rounded to nearest
//   eta, lambda smallest subnormal and smallest normal value of that format
//   x_i, A      the terms and the sum of their magnitudes
//   d_i, h      how many additions the term x_i passes through on its way to the result; the largest d_i
//
// All bounds are absolute, in the unit of the result, and none is ever rounded down. All suppose that no
// operation overflows and, where they do not say otherwise, that every operation rounds to nearest (ties may
// go either way) and that subnormal results are kept. A term that is zero counts nowhere: adding it is exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "oracles/dyadic.h"

namespace foldproof {

/// Either a bound that holds for every run of the arithmetic that its function names, or a sentence that says
/// which condition fails. A checker may reject a value that lies beyond a bound; without one, it may not.
class Bound {
 public:
  /// A bound that holds.
  Bound(Dyadic value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// No bound: `why` is the condition that does not hold, as a sentence.
  static Bound none(std::string why) {
    Bound bound;
    bound.why_not_ = std::move(why);
    return bound;
  }

  explicit operator bool() const { return why_not_.empty(); }
  /// Only of a bound that holds.
  const Dyadic& operator*() const { return value_; }
  const Dyadic* operator->() const { return &value_; }
  /// Empty where the bound holds.
  const std::string& why_not() const { return why_not_; }

 private:
  Bound() = default;
  Dyadic value_;
  std::string why_not_;
};

/// The smaller of two bounds on one error: the one that holds, where only one does.
Bound sharper(Bound a, Bound b);

/// How an operation chooses between the two values of the format next to its exact result.
enum class Rounding : std::uint8_t {
  nearest,   ///< the nearer one
  faithful,  ///< either: truncation, rounding up, stochastic rounding
};

/// So many operations in a format of this precision.
struct Roundings {
  std::uint64_t steps = 0;
  int precision = 0;
};

/// (1 + v)^steps - 1, rounded up: the largest relative change that so many operations make, one after the
/// other. v is u' for rounding to nearest and 2u for faithful rounding. No bound where it is so large that it
/// says nothing (steps * u beyond 32).
Bound growth(std::uint64_t steps, int precision, Rounding rounding = Rounding::nearest);

/// The same of operations in several formats.
Bound growth(std::span<const Roundings> path, Rounding rounding = Rounding::nearest);

/// Rounding to a floating-point format what lies within `bound` of `exact`: bound + ulp(|exact| + bound) / 2.
Bound output_bound(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output);

/// Any order: (n - 1) u A, for any number n of nonzero terms (Jeannerod and Rump 2013). Only where additions
/// round to nearest.
Bound sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude,
                          Rounding rounding = Rounding::nearest);

/// Any tree in which no term passes through more than h additions: ((1 + u')^h - 1) A.
Bound sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude,
                          Rounding rounding = Rounding::nearest);

/// Terms that are known with an error each, then summed in any order: E + (T - 1) u (A + E), of T terms with
/// A the sum of the exact magnitudes and E the sum of the errors. So a tree over what threads computed, or a
/// sum of converted inputs, is bounded by parts.
Bound sum_bound_of_approximate_terms(std::uint64_t terms, int precision, const Dyadic& magnitude,
                                     const Dyadic& errors);
/// The same in a tree of height h: E + ((1 + u')^h - 1)(A + E).
Bound sum_bound_of_approximate_terms(std::uint64_t terms, std::uint64_t height, int precision,
                                     const Dyadic& magnitude, const Dyadic& errors);

/// What flushing subnormal results to zero adds to any of the bounds above, whatever the tree: less than the
/// smallest normal value for every second term. Subnormal terms may also be flushed: `subnormal_magnitude` is
/// the sum of their magnitudes.
Dyadic flush_to_zero_loss(std::uint64_t terms, const FloatFormat& format, const Dyadic& subnormal_magnitude);

/// Rounding terms to a format on the way in: u A + terms * eta / 2.
Dyadic conversion_bound(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude);

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

/// The square root of a sum of squares Q that is known to within `error`: the largest distance of what it is
/// rounded to from sqrt(Q), where the root has a relative error of at most `root_error` and costs eta / 2
/// where it is subnormal. Q and all else not negative.
Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format,
                 const Dyadic& root_error);
/// With a correctly rounded root.
Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format);

}  // namespace foldproof
