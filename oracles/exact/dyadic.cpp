#include "oracles/dyadic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace foldproof {

using Integer = Dyadic::Integer;

Dyadic::Dyadic(const Number& number) : significand_(number.significand), exponent_(number.exponent) {
  if (number.negative) significand_.backend().negate();
}

std::int64_t Dyadic::leading_exponent() const {
  const Integer magnitude = boost::multiprecision::abs(significand_);
  return exponent_ + static_cast<std::int64_t>(boost::multiprecision::msb(magnitude));
}

Dyadic Dyadic::operator-() const {
  Dyadic result = *this;
  result.significand_.backend().negate();
  return result;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const std::int64_t exponent = std::min(a.exponent_, b.exponent_);
  return {(a.significand_ << static_cast<unsigned>(a.exponent_ - exponent)) +
              (b.significand_ << static_cast<unsigned>(b.exponent_ - exponent)),
          exponent};
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  return {a.significand_ * b.significand_, a.exponent_ + b.exponent_};
}

std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b) {
  const int sign_a = a.significand_.sign(), sign_b = b.significand_.sign();
  if (sign_a != sign_b || sign_a == 0) return sign_a <=> sign_b;
  // Numbers of different magnitude are ordered by their leading bits, which avoids long shifts.
  const std::int64_t lead_a = a.leading_exponent(), lead_b = b.leading_exponent();
  if (lead_a != lead_b)
    return (lead_a < lead_b) == (sign_a > 0) ? std::strong_ordering::less : std::strong_ordering::greater;
  return (a - b).significand_.sign() <=> 0;
}

Dyadic abs(const Dyadic& x) { return x.is_negative() ? -x : x; }

Number sticky(const Dyadic& x) {
  Number number;
  if (x.is_zero()) return number;
  Integer magnitude = boost::multiprecision::abs(x.significand());
  std::int64_t exponent = x.exponent();
  const auto width = static_cast<std::int64_t>(boost::multiprecision::msb(magnitude)) + 1;
  if (width > 64) {
    const auto shift = static_cast<unsigned>(width - 64);
    const bool cut = boost::multiprecision::lsb(magnitude) < shift;
    magnitude >>= shift;
    exponent += shift;
    if (cut) magnitude |= 1;
  }
  number.negative = x.is_negative();
  number.significand = static_cast<std::uint64_t>(magnitude);
  // Beyond these limits every element type has long overflowed or underflowed.
  number.exponent = static_cast<int>(std::clamp<std::int64_t>(exponent, -1'000'000, 1'000'000));
  return number;
}

namespace {

Dyadic rounded_to_integer(const Dyadic& x, RoundingMode mode) {
  if (x.exponent() >= 0) return x;
  const auto places = static_cast<unsigned>(-x.exponent());
  const Integer magnitude = boost::multiprecision::abs(x.significand());
  Integer whole = magnitude >> places;
  const Integer rest = magnitude - (whole << places);
  const bool odd = (whole & 1) != 0;
  const auto against_half = rest.compare(Integer(1) << (places - 1)) <=> 0;
  if (rest != 0 && rounds_up_magnitude(mode, x.is_negative(), odd, against_half)) ++whole;
  return {x.is_negative() ? Integer(-whole) : whole, 0};
}

}  // namespace

std::uint64_t rounded(Element element, const Dyadic& x, RoundingMode mode, Saturation saturation) {
  return encode(element, sticky(is_float(element) ? x : rounded_to_integer(x, mode)), mode, saturation);
}

std::uint64_t rounded(Element element, const Dyadic& x) {
  return rounded(element, x, is_float(element) ? RoundingMode::nearest_even : RoundingMode::toward_zero);
}

std::uint64_t rounded_sum(Element to, const Specials& specials, const Dyadic& finite,
                          bool only_negative_zeros) {
  using Category = Number::Category;
  if (specials.give_nan()) return encode(to, {Category::nan, false, 0, 0});
  if (specials.give_infinity()) return encode(to, {Category::infinity, specials.negative_infinity, 0, 0});
  if (finite.is_zero()) return encode(to, {Category::finite, only_negative_zeros, 0, 0});
  return rounded(to, finite);
}

double nearest_double(const Dyadic& x) { return to_double(sticky(x)); }

double upper_double(const Dyadic& x) {
  const double value = nearest_double(x);
  if (std::isinf(value) || Dyadic(number_of(value)) >= x) return value;
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

double ratio(const Dyadic& a, const Dyadic& b) {
  if (a.is_zero()) return 0;
  const std::int64_t scale = b.leading_exponent();
  return nearest_double({a.significand(), a.exponent() - scale}) /
         nearest_double({b.significand(), b.exponent() - scale});
}

Dyadic ulp(const FloatFormat& format, const Dyadic& x) {
  if (x.is_zero()) return Dyadic::power_of_two(format.lowest_exponent);
  return Dyadic::power_of_two(
      std::max<std::int64_t>(format.lowest_exponent, x.leading_exponent() - format.precision + 1));
}

Dyadic largest_finite(const FloatFormat& format) {
  return {Integer(format.largest_significand), format.highest_exponent};
}

Dyadic overflow_threshold(const FloatFormat& format) {
  return largest_finite(format) + Dyadic::power_of_two(format.highest_exponent - 1);
}

Dyadic ulp(Element element, const Dyadic& x) { return ulp(float_format(element), x); }
Dyadic largest_finite(Element element) { return largest_finite(float_format(element)); }
Dyadic overflow_threshold(Element element) { return overflow_threshold(float_format(element)); }

std::string to_text(const Dyadic& x) {
  const double value = nearest_double(x);
  const bool exact = std::isfinite(value) && Dyadic(number_of(value)) == x;
  return fmt::format("{}{}", exact ? "" : "about ", value);
}

}  // namespace foldproof
