// Exact arithmetic on significand * 2^exponent with integers of any length. Expensive to include: only for
// the oracles and their tests.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <cstdint>

#include "oracles/number.h"

namespace foldproof {

class Dyadic {
 public:
  using Integer = boost::multiprecision::cpp_int;

  Dyadic() = default;
  Dyadic(Integer significand, std::int64_t exponent)
      : significand_(std::move(significand)), exponent_(exponent) {}
  /// Requires a finite number.
  explicit Dyadic(const Number& number);
  static Dyadic power_of_two(std::int64_t exponent) { return {1, exponent}; }

  const Integer& significand() const { return significand_; }
  std::int64_t exponent() const { return exponent_; }
  bool is_zero() const { return significand_.is_zero(); }
  bool is_negative() const { return significand_.sign() < 0; }
  /// The exponent of the leading bit: 2^e <= |x| < 2^(e+1). Undefined for zero.
  std::int64_t leading_exponent() const;

  Dyadic operator-() const;
  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + -b; }
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b);
  friend std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b);
  friend bool operator==(const Dyadic& a, const Dyadic& b) { return (a <=> b) == 0; }

 private:
  Integer significand_;
  std::int64_t exponent_ = 0;
};

Dyadic abs(const Dyadic& x);
/// x / 2, a count as a number, a multiple, the larger of two.
inline Dyadic half(const Dyadic& x) { return x * Dyadic::power_of_two(-1); }
inline Dyadic whole(std::uint64_t count) { return {Dyadic::Integer(count), 0}; }
inline Dyadic operator*(std::uint64_t count, const Dyadic& x) { return whole(count) * x; }
inline const Dyadic& larger(const Dyadic& a, const Dyadic& b) { return a < b ? b : a; }

/// x with at most 64 significant bits, such that rounding it to any floating-point element rounds x
/// correctly: the last bit is set if anything was cut off.
Number sticky(const Dyadic& x);
/// x rounded once to an element, as encode() rounds numbers: by default to nearest, ties to even; integers
/// towards zero.
std::uint64_t rounded(Element element, const Dyadic& x);
std::uint64_t rounded(Element element, const Dyadic& x, RoundingMode mode,
                      Saturation saturation = Saturation::none);
/// A sum rounded once to a format, ties to even, following IEEE 754; integers saturate. `finite`: the exact
/// sum of the finite values; `only_negative_zeros`: at least one term was added, and all terms are −0.
std::uint64_t rounded_sum(Element to, const Specials& specials, const Dyadic& finite,
                          bool only_negative_zeros);
/// The nearest double, and a double not below x; for reports.
double nearest_double(const Dyadic& x);
double upper_double(const Dyadic& x);
/// a / b as a double, for any exponents; b is positive.
double ratio(const Dyadic& a, const Dyadic& b);

/// The largest relative error of rounding to nearest: 2^-precision.
inline Dyadic unit_roundoff(int precision) { return Dyadic::power_of_two(-precision); }
inline Dyadic smallest_subnormal(const FloatFormat& format) {
  return Dyadic::power_of_two(format.lowest_exponent);
}
inline Dyadic smallest_normal(const FloatFormat& format) {
  return Dyadic::power_of_two(format.normal_exponent());
}

/// The distance between neighbouring values of a floating-point format at |x|; at least 2^lowest_exponent.
Dyadic ulp(const FloatFormat& format, const Dyadic& x);
Dyadic ulp(Element element, const Dyadic& x);
/// The largest finite value of a floating-point format.
Dyadic largest_finite(const FloatFormat& format);
Dyadic largest_finite(Element element);
/// The smallest real that rounds beyond the largest finite value, or is the tie that may: e4m3 is the only
/// format whose tie rounds back, to 448. e2m1 cannot overflow: from 7 on its result is still 6.
Dyadic overflow_threshold(const FloatFormat& format);
Dyadic overflow_threshold(Element element);

/// "3": rounded to double, prefixed with "about" if that is inexact.
std::string to_text(const Dyadic& x);

}  // namespace foldproof
