// Exact values of elements: decoding, encoding with one rounding, and text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "oracles/formats.h"

namespace foldproof {

/// Whether an integer element is signed.
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
/// An integer element in 64-bit two's complement.
inline std::uint64_t extended(Element element, std::uint64_t bits) {
  const Number number = decode(element, bits);
  return number.negative ? std::uint64_t{0} - number.significand : number.significand;
}
/// An E8M0 scale, 2^(code - 127), as in the OCP Microscaling formats. It has neither zero nor sign.
Number decode_scale(std::uint8_t code);
constexpr std::uint8_t nan_scale = 0xFF;
/// Converts as C++ and CUDA do: to the nearest element, ties to even. Values beyond the largest become an
/// infinity, NaN in a format without infinities, or the largest value in a format with neither. Integers
/// truncate towards zero and saturate; NaN gives 0.
std::uint64_t encode(Element element, const Number& number);
/// The same in any mode, also for integers, which saturate in every mode. A NaN becomes the toolkit's
/// canonical one, or the largest positive value in a format without NaN.
std::uint64_t encode(Element element, const Number& number, RoundingMode mode,
                     Saturation saturation = Saturation::none);

/// The non-finite terms of a sum, and how IEEE 754 adds them.
struct Specials {
  bool nan = false, positive_infinity = false, negative_infinity = false;  ///< whether any was added

  /// Records a term if it is not finite.
  void add(Number::Category category, bool negative) {
    nan |= category == Number::Category::nan;
    if (category == Number::Category::infinity) (negative ? negative_infinity : positive_infinity) = true;
  }
  void merge(const Specials& other) {
    nan |= other.nan;
    positive_infinity |= other.positive_infinity;
    negative_infinity |= other.negative_infinity;
  }

  /// Whether the sum is NaN: a NaN was added, or infinities of both signs.
  bool give_nan() const { return nan || (positive_infinity && negative_infinity); }
  bool have_infinity() const { return positive_infinity || negative_infinity; }
  bool give_infinity() const { return !give_nan() && have_infinity(); }
};

/// Compares |a| and |b|, both finite.
std::strong_ordering compare_magnitudes(const Number& a, const Number& b);

/// A key that orders the values of one element type; −0 and +0 are equal. Not for NaN.
std::int64_t order_key(Element element, std::uint64_t bits);

/// Whether instructions with .ftz read the element as zero. Integers are not subnormal, nor is NaN.
bool is_zero_or_subnormal(Element element, std::uint64_t bits);
/// The same without zero.
bool is_subnormal(Element element, std::uint64_t bits);

/// Elements in memory, little endian.
std::uint64_t load(Element element, std::span<const std::byte> bytes, std::size_t index);
void store(Element element, std::span<std::byte> bytes, std::size_t index, std::uint64_t bits);

/// "3" for floating-point, with as many digits as tell all values of the type apart; "-7" for integers.
std::string to_text(Element element, std::uint64_t bits);

/// Whether an integer type can represent the number.
inline bool represents(Element integer, std::uint64_t number) {
  const std::size_t bits = 8 * size_of(integer) - (is_signed_integer(integer) ? 1 : 0);
  return bits >= 64 || number >> bits == 0;
}

}  // namespace foldproof
