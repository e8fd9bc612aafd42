#include "oracles/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "oracles/operator.h"

namespace foldproof {
namespace {

constexpr FloatFormat formats[] = {
    // p, lowest, highest, largest significand, infinity
    {53, -1074, 971, (std::uint64_t{1} << 53) - 1, true},  // f64
    {24, -149, 104, (1u << 24) - 1, true},                 // f32
    {11, -24, 5, (1u << 11) - 1, true},                    // f16
    {8, -133, 120, (1u << 8) - 1, true},                   // bf16
    {4, -9, 5, 14, false},                                 // e4m3
    {3, -16, 13, 7, true},                                 // e5m2
};

unsigned bits_of(Element element) { return static_cast<unsigned>(size_of(element)) * 8; }

std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t sign_bit(Element element) { return std::uint64_t{1} << (bits_of(element) - 1); }

std::int64_t sign_extended(Element element, std::uint64_t bits) {
  const unsigned unused = 64 - bits_of(element);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// The exponent field above which there are no numbers. Formats without infinities use the last field too.
std::uint64_t last_exponent_field(Element element, const FloatFormat& format) {
  const unsigned exponent_bits = bits_of(element) - static_cast<unsigned>(format.precision);
  return low_bits(exponent_bits);
}

std::uint64_t infinity_bits(Element element) {
  const FloatFormat& format = float_format(element);
  return last_exponent_field(element, format) << (format.precision - 1);
}

std::uint64_t nan_bits(Element element) {
  const FloatFormat& format = float_format(element);
  if (!format.has_infinity) return low_bits(bits_of(element) - 1);
  return infinity_bits(element) | (std::uint64_t{1} << (format.precision - 2));
}

Number decode_float(Element element, std::uint64_t bits) {
  const FloatFormat& format = float_format(element);
  const int fraction_bits = format.precision - 1;
  const bool negative = (bits & sign_bit(element)) != 0;
  const std::uint64_t magnitude = bits & low_bits(bits_of(element) - 1);
  const std::uint64_t fraction = magnitude & low_bits(static_cast<unsigned>(fraction_bits));
  const std::uint64_t field = magnitude >> fraction_bits;
  if (format.has_infinity && field == last_exponent_field(element, format))
    return {fraction == 0 ? Number::Category::infinity : Number::Category::nan, negative, 0, 0};
  if (!format.has_infinity && magnitude == nan_bits(element)) return {Number::Category::nan, negative, 0, 0};
  if (field == 0) return {Number::Category::finite, negative, fraction, format.lowest_exponent};
  return {Number::Category::finite, negative, fraction | (std::uint64_t{1} << fraction_bits),
          format.lowest_exponent + static_cast<int>(field) - 1};
}

/// significand / 2^shift to the nearest integer, ties to even.
std::uint64_t shifted_right(std::uint64_t significand, int shift) {
  if (shift > 64) return 0;
  if (shift == 64) return significand > (std::uint64_t{1} << 63) ? 1 : 0;
  const std::uint64_t quotient = significand >> shift;
  const std::uint64_t rest = significand & low_bits(static_cast<unsigned>(shift));
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

std::uint64_t encode_float(Element element, const Number& number) {
  const FloatFormat& format = float_format(element);
  const std::uint64_t sign = number.negative ? sign_bit(element) : 0;
  const std::uint64_t overflow = sign | (format.has_infinity ? infinity_bits(element) : nan_bits(element));
  if (number.is_nan()) return nan_bits(element);
  if (number.is_infinite()) return overflow;
  if (number.significand == 0) return sign;

  const int width = static_cast<int>(std::bit_width(number.significand));
  int exponent = std::max(format.lowest_exponent, number.exponent + width - format.precision);
  if (exponent > format.highest_exponent + 1) return overflow;
  const int shift = exponent - number.exponent;
  std::uint64_t significand =
      shift > 0 ? shifted_right(number.significand, shift) : number.significand << -shift;
  if (significand == std::uint64_t{1} << format.precision) {
    significand >>= 1;
    ++exponent;
  }
  if (exponent > format.highest_exponent ||
      (exponent == format.highest_exponent && significand > format.largest_significand))
    return overflow;
  // A normal significand's leading bit carries into the exponent field: fields count from 1 there.
  const auto field = static_cast<std::uint64_t>(exponent - format.lowest_exponent);
  return sign | ((field << (format.precision - 1)) + significand);
}

struct IntegerRange {
  std::uint64_t largest, largest_negative;  ///< magnitudes
};

IntegerRange range_of(Element element) {
  if (!is_signed_integer(element)) return {low_bits(bits_of(element)), 0};
  return {sign_bit(element) - 1, sign_bit(element)};
}

std::uint64_t encode_integer(Element element, const Number& number) {
  if (number.is_nan()) return 0;
  const IntegerRange range = range_of(element);
  const std::uint64_t limit = number.negative ? range.largest_negative : range.largest;
  std::uint64_t magnitude = number.significand;
  if (number.is_infinite() ||
      (magnitude != 0 && static_cast<int>(std::bit_width(magnitude)) + number.exponent > 64))
    magnitude = limit;
  else if (number.exponent >= 0)
    magnitude <<= number.exponent;
  else
    magnitude = number.exponent <= -64 ? 0 : magnitude >> -number.exponent;
  magnitude = std::min(magnitude, limit);
  return (number.negative ? std::uint64_t{0} - magnitude : magnitude) & low_bits(bits_of(element));
}

}  // namespace

const FloatFormat& float_format(Element element) { return formats[static_cast<std::size_t>(element)]; }

bool includes(Element outer, Element inner) {
  const FloatFormat& o = float_format(outer);
  const FloatFormat& i = float_format(inner);
  return o.precision >= i.precision && o.lowest_exponent <= i.lowest_exponent &&
         o.highest_exponent + o.precision >= i.highest_exponent + i.precision &&
         (o.has_infinity || !i.has_infinity);
}

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

std::uint64_t encode(Element element, const Number& number) {
  return is_float(element) ? encode_float(element, number) : encode_integer(element, number);
}

std::int64_t order_key(Element element, std::uint64_t bits) {
  if (is_float(element)) {
    const auto magnitude = static_cast<std::int64_t>(bits & (sign_bit(element) - 1));
    return (bits & sign_bit(element)) != 0 ? -magnitude : magnitude;
  }
  if (is_signed_integer(element)) return sign_extended(element, bits);
  return static_cast<std::int64_t>(bits ^ (std::uint64_t{1} << 63));
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
  return fmt::format("{:a} ({:.9g})", value, value);
}

std::uint64_t identity(Operator op, Element element) {
  constexpr Number zero{}, one{Number::Category::finite, false, 1, 0};
  switch (op) {
    case Operator::sum: return encode(element, zero);
    case Operator::prod: return encode(element, one);
    case Operator::min:
    case Operator::max: break;
  }
  const bool negative = op == Operator::max;
  if (!is_float(element) || float_format(element).has_infinity)
    return encode(element, {Number::Category::infinity, negative, 0, 0});
  const FloatFormat& format = float_format(element);
  return encode(element,
                {Number::Category::finite, negative, format.largest_significand, format.highest_exponent});
}

}  // namespace foldproof
