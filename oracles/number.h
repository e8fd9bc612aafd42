// Exact values of elements: decoding, encoding with one rounding, and text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "oracles/element.h"

namespace foldproof {

/// A binary floating-point format. Its finite values are the multiples of 2^lowest_exponent with at most
/// `precision` significant bits, up to largest_significand * 2^highest_exponent.
struct FloatFormat {
  int precision;         ///< p; the unit roundoff is 2^-p
  int lowest_exponent;   ///< the smallest subnormal is 2^lowest_exponent
  int highest_exponent;  ///< of the last place of the largest finite value
  std::uint64_t largest_significand;
  bool has_infinity;

  /// Of the smallest normal value.
  int normal_exponent() const { return lowest_exponent + precision - 1; }
};

/// The format of a floating-point element.
const FloatFormat& float_format(Element element);
/// Whether every value of `inner` is one of `outer`; both floating-point.
bool includes(Element outer, Element inner);
/// Whether an integer element has a sign.
bool is_signed_integer(Element element);

/// ±significand * 2^exponent, an infinity or a NaN.
struct Number {
  enum class Category : std::uint8_t { finite, infinity, nan };
  Category category = Category::finite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;

  bool is_finite() const { return category == Category::finite; }
  bool is_infinite() const { return category == Category::infinity; }
  bool is_nan() const { return category == Category::nan; }
  bool is_zero() const { return is_finite() && significand == 0; }
};

Number number_of(double value);
/// The nearest double, ties to even.
double to_double(const Number& number);

/// The exact value of an element's bits.
Number decode(Element element, std::uint64_t bits);
/// The element nearest to a number, ties to even; beyond the largest value an infinity, or NaN in a format
/// without infinities. Integers are truncated towards zero and stay at the end of their range; NaN gives 0.
std::uint64_t encode(Element element, const Number& number);

/// Orders the values of one element type; −0 and +0 are equal. Not for NaN.
std::int64_t order_key(Element element, std::uint64_t bits);

/// Elements in memory, little endian.
std::uint64_t load(Element element, std::span<const std::byte> bytes, std::size_t index);
void store(Element element, std::span<std::byte> bytes, std::size_t index, std::uint64_t bits);

/// "0x1.8p+1 (3)" for floating-point, "-7" for integers.
std::string to_text(Element element, std::uint64_t bits);

}  // namespace foldproof
