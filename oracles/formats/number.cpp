#include "oracles/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "oracles/formats.h"

namespace foldproof {
namespace {

std::int64_t sign_extended(Element element, std::uint64_t bits) {
  const unsigned unused = 64 - width_of(element);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// Requires a format with an infinity.
std::uint64_t infinity_code(Element element) { return float_format(element).largest_code() + 1; }

Number decode_float(Element element, std::uint64_t bits) {
  const FloatFormat& format = float_format(element);
  const int fraction_bits = format.precision - 1;
  const bool negative = (bits & sign_bit(element)) != 0;
  const std::uint64_t magnitude = bits & (sign_bit(element) - 1);
  if (magnitude > format.largest_code()) {
    const bool infinite = format.has_infinity && magnitude == infinity_code(element);
    return {infinite ? Number::Category::infinity : Number::Category::nan, negative, 0, 0};
  }
  const std::uint64_t fraction = magnitude & low_bits(static_cast<unsigned>(fraction_bits));
  const std::uint64_t field = magnitude >> fraction_bits;
  if (field == 0) return {Number::Category::finite, negative, fraction, format.lowest_exponent};
  return {Number::Category::finite, negative, fraction | (std::uint64_t{1} << fraction_bits),
          format.lowest_exponent + static_cast<int>(field) - 1};
}

}  // namespace

bool is_signed_integer(Element element) {
  return element == Element::i8 || element == Element::i16 || element == Element::i32 ||
         element == Element::i64;
}

Number number_of(double value) { return decode(Element::f64, std::bit_cast<std::uint64_t>(value)); }

double to_double(const Number& number) { return std::bit_cast<double>(encode(Element::f64, number)); }

Number decode(Element element, std::uint64_t bits) {
  if (is_float(element)) return decode_float(element, bits);
  if (!is_signed_integer(element)) return {Number::Category::finite, false, bits, 0};
  const std::int64_t value = sign_extended(element, bits);
  const auto pattern = static_cast<std::uint64_t>(value);
  return {Number::Category::finite, value < 0, value < 0 ? std::uint64_t{0} - pattern : pattern, 0};
}

Number decode_scale(std::uint8_t code) {
  constexpr int bias = 127;
  if (code == nan_scale) return {Number::Category::nan, false, 0, 0};
  return {Number::Category::finite, false, 1, code - bias};
}

std::strong_ordering compare_magnitudes(const Number& a, const Number& b) {
  if (a.significand == 0 || b.significand == 0) return a.significand <=> b.significand;
  const int shift_a = std::countl_zero(a.significand), shift_b = std::countl_zero(b.significand);
  if (const auto order = a.exponent - shift_a <=> b.exponent - shift_b; order != 0) return order;
  return a.significand << shift_a <=> b.significand << shift_b;
}

std::int64_t order_key(Element element, std::uint64_t bits) {
  if (is_float(element)) {
    const auto magnitude = static_cast<std::int64_t>(bits & (sign_bit(element) - 1));
    return (bits & sign_bit(element)) != 0 ? -magnitude : magnitude;
  }
  if (is_signed_integer(element)) return sign_extended(element, bits);
  return static_cast<std::int64_t>(bits ^ (std::uint64_t{1} << 63));
}

bool is_zero_or_subnormal(Element element, std::uint64_t bits) {
  if (!is_float(element)) return bits == 0;
  const std::uint64_t smallest_normal = std::uint64_t{1} << (float_format(element).precision - 1);
  return (bits & (sign_bit(element) - 1)) < smallest_normal;
}

bool is_subnormal(Element element, std::uint64_t bits) {
  return is_zero_or_subnormal(element, bits) && !decode(element, bits).is_zero();
}

std::uint64_t load(Element element, std::span<const std::byte> bytes, std::size_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size_of(element), size_of(element));
  return bits;
}

void store(Element element, std::span<std::byte> bytes, std::size_t index, std::uint64_t bits) {
  std::memcpy(bytes.data() + index * size_of(element), &bits, size_of(element));
}

std::string to_text(Element element, std::uint64_t bits) {
  const Number number = decode(element, bits);
  if (!is_float(element)) return fmt::format("{}{}", number.negative ? "-" : "", number.significand);
  if (number.is_nan()) return "nan";
  if (number.is_infinite()) return number.negative ? "-inf" : "inf";
  const double value = to_double(number);
  // As many digits as tell all values of the format apart.
  return element == Element::f64 ? fmt::format("{}", value) : fmt::format("{:.9g}", value);
}

}  // namespace foldproof
