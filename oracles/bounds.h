// Rigorous bounds on the error of floating-point reductions; docs/numerics.md derives each one.
//
//   p, u        precision of the format in which the operations round; unit roundoff 2^-p
//   u'          u / (1 + u): the largest relative error of one operation rounded to nearest
//   eta, lambda smallest subnormal and smallest normal value of that format
//   x_i, A      the terms and the sum of their magnitudes
//   d_i, h      number of additions on the path of x_i to the result; the largest d_i
//
// All bounds are absolute, in units of the result, and are never rounded down. They assume that no operation
// overflows and, unless stated otherwise, that every operation rounds to nearest (ties may go either way) and
// that subnormal results are kept. Zero terms are not counted: adding zero is exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "oracles/dyadic.h"

namespace foldproof {

/// A bound that holds for every execution of the arithmetic that its function describes, or a sentence naming
/// the condition that fails. A checker may reject a value outside a bound; without a bound it must not.
class Bound {
 public:
  /// A bound that holds.
  Bound(Dyadic value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// No bound; `why` is a sentence naming the condition that fails.
  static Bound none(std::string why) {
    Bound bound;
    bound.why_not_ = std::move(why);
    return bound;
  }

  explicit operator bool() const { return why_not_.empty(); }
  /// Requires a bound that holds.
  const Dyadic& operator*() const { return value_; }
  const Dyadic* operator->() const { return &value_; }
  /// Empty if the bound holds.
  const std::string& why_not() const { return why_not_; }

 private:
  Bound() = default;
  Dyadic value_;
  std::string why_not_;
};

/// The smaller of two bounds on the same error; if only one holds, that one.
Bound sharper(Bound a, Bound b);

/// How an operation chooses between the two values of the format adjacent to its exact result.
enum class Rounding : std::uint8_t {
  nearest,   ///< the nearer one
  faithful,  ///< either: truncation, rounding up, stochastic rounding
};

/// What --use_fast_math and the like change: subnormal values become zero, and divisions and roots are
/// approximate (PTX ISA, div.approx, rcp.approx, sqrt.approx: errors of 2 ulp, 1 ulp and 2^-23).
struct FastMath {
  Dyadic flushed = {};           ///< every argument or result of an operation below may become zero; 0: none
  Dyadic flushed_elements = {};  ///< every element below may, at least `flushed`: a conversion flushes it
  bool approximates = false;     ///< divisions, reciprocals and roots of the format

  bool flushes() const { return !flushed.is_zero(); }
  /// Roundings to which a division by a number is equivalent, or a product with its rounded reciprocal: an
  /// error of 2 ulp is less than five of at most u.
  std::uint64_t roundings_of_division() const { return approximates ? 5 : 2; }
};

/// A number of operations in a format of the given precision.
struct Roundings {
  std::uint64_t steps = 0;
  int precision = 0;
};

/// (1 + v)^steps - 1, rounded up: the largest relative change caused by `steps` successive operations. v is
/// u' for rounding to nearest and 2u for faithful rounding. No bound if it would be vacuous (steps * u above
/// 32).
Bound growth(std::uint64_t steps, int precision, Rounding rounding = Rounding::nearest);

/// The same for operations in several formats.
Bound growth(std::span<const Roundings> path, Rounding rounding = Rounding::nearest);

/// Error after rounding a value within `bound` of `exact` to a format: bound + ulp(|exact| + bound) / 2.
Bound output_bound(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output);

/// Any order: (n - 1) u A, for any number n of nonzero terms (Jeannerod and Rump 2013). Requires additions
/// that round to nearest.
Bound sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude,
                          Rounding rounding = Rounding::nearest);

/// Any tree in which no term passes through more than h additions: ((1 + u')^h - 1) A.
Bound sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude,
                          Rounding rounding = Rounding::nearest);

/// Terms that each carry a known error, summed in any order: E + (T - 1) u (A + E), where T is the number of
/// terms, A the sum of the exact magnitudes and E the sum of the errors. Bounds a tree over per-thread
/// results, or a sum of converted inputs, in stages.
Bound sum_bound_of_approximate_terms(std::uint64_t terms, int precision, const Dyadic& magnitude,
                                     const Dyadic& errors);
/// The same for a tree of height h: E + ((1 + u')^h - 1)(A + E).
Bound sum_bound_of_approximate_terms(std::uint64_t terms, std::uint64_t height, int precision,
                                     const Dyadic& magnitude, const Dyadic& errors);

/// Error added to any of the bounds above by flushing subnormal results to zero, for any tree: less than the
/// smallest normal value for every second term. Subnormal terms may be flushed too: `subnormal_magnitude` is
/// the sum of their magnitudes.
Dyadic flush_to_zero_loss(std::uint64_t terms, const FloatFormat& format, const Dyadic& subnormal_magnitude);

/// Error of rounding the terms to a format before they are summed: u A + terms * eta / 2.
Dyadic conversion_bound(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude);

/// Any order, with separate or fused multiplications or a mixture of both: n u A + underflow (1 + n u), where
/// n is the number of nonzero products and A = sum |x_i y_i| (Jeannerod and Rump 2013; the underflow term is
/// ours). `inexact`: number of products that are not multiples of eta, which underflow may therefore round;
/// each costs eta / 2.
Bound dot_bound_any_order(std::uint64_t terms, std::uint64_t inexact, const FloatFormat& format,
                          const Dyadic& magnitude);

/// The same with subnormal inputs and results flushed to zero. `lost`: the sum of |x_i y_i| over the products
/// with a subnormal factor.
Bound dot_bound_with_flush(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude,
                           const Dyadic& lost);

/// Powers of two that enclose the magnitude of every partial product in any order: the product of the powers
/// at or above the factors larger than 1, and of those at or below the factors smaller than 1.
struct ProductRange {
  std::int64_t highest = 0;  ///< |partial product| <= 2^highest
  std::int64_t lowest = 0;   ///< |partial product| >= 2^lowest
};

/// Any order: ((1 + u')^(n - 1) - 1) |product|, where n is the number of factors that are not powers of two.
/// No bound if a partial product may leave the format's normal range.
Bound product_bound_any_order(std::uint64_t factors, const ProductRange& range, const FloatFormat& format,
                              const Dyadic& product, Rounding rounding = Rounding::nearest);

/// Square root of a sum of squares Q that is known to within `error`: the largest distance of the rounded
/// root from sqrt(Q). The root has a relative error of at most `root_error` and costs eta / 2 if it is
/// subnormal. Q and all other arguments are nonnegative.
Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format,
                 const Dyadic& root_error);
/// The same with a correctly rounded root.
Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format);

/// Norm of `terms` values whose squares have the given sum, in any order: the values are divided by the
/// largest one, or by the largest so far, which rescales the sum; or combined by a hypot with an error of at
/// most 3 ulp, as in CUDA.
Bound scaled_norm_bound(std::uint64_t terms, const Dyadic& sum_of_squares, const FloatFormat& format);

}  // namespace foldproof
