#include "devices/emulated/isa/exact.h"

#include <algorithm>

namespace foldproof::isa::exact {
namespace {

int top_bit(u128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low);
}

/// x / 2^shift; the last bit is sticky: it is set if any bit shifted out is nonzero.
u128 shift_right_jamming(u128 x, int shift) {
  if (shift <= 0) return x << -shift;
  if (shift > 127) return x != 0;
  const u128 kept = x >> shift;
  return kept | ((kept << shift) != x);
}

/// Whether a magnitude is rounded away from zero if the remainder `rest`, in units of `unit`, is dropped.
bool rounds_up(bool negative, bool odd, u128 rest, u128 unit, Rounding rounding) {
  switch (rounding) {
    case Rounding::none:
    case Rounding::rn:
    case Rounding::rni: return rest > unit / 2 || (rest == unit / 2 && odd);
    case Rounding::rna: return rest >= unit / 2;
    case Rounding::rz:
    case Rounding::rzi: return false;
    case Rounding::rm:
    case Rounding::rmi: return negative && rest != 0;
    case Rounding::rp:
    case Rounding::rpi: return !negative && rest != 0;
  }
  return false;
}

/// x rounded to a multiple of 2^quantum; returns the multiplier.
u128 quantize(const Number& x, int quantum, Rounding rounding) {
  const int shift = quantum - x.exponent;
  if (shift <= 0) return x.magnitude << -shift;
  // A magnitude has at most 127 bits, so for larger shifts the remainder is known to be less than half.
  if (shift > 127) return rounds_up(x.negative, false, x.magnitude != 0, 4, rounding);
  const u128 kept = x.magnitude >> shift, unit = u128{1} << shift;
  return kept + u128{rounds_up(x.negative, (kept & 1) != 0, x.magnitude & (unit - 1), unit, rounding)};
}

/// The result for a finite magnitude beyond the largest one.
std::uint64_t overflowed(const Format& format, bool negative, Rounding rounding, bool satfinite) {
  const bool inwards = rounding == Rounding::rz || (rounding == Rounding::rm && !negative) ||
                       (rounding == Rounding::rp && negative);
  return satfinite || inwards ? format.largest : format.overflow;
}

std::uint64_t encode_magnitude(const Format& format, const Number& x, Rounding rounding, bool satfinite) {
  if (x.kind == Kind::nan) return format.nan;
  if (x.kind == Kind::infinity) return satfinite ? format.largest : format.overflow;
  if (x.magnitude == 0) return 0;
  const int smallest_exponent = 1 - format.bias();
  const int exponent = std::max(top_bit(x.magnitude) + x.exponent, smallest_exponent);
  if (exponent > format.bias() + 1) return overflowed(format, x.negative, rounding, satfinite);
  const u128 multiple = quantize(x, exponent - static_cast<int>(format.fraction_bits), rounding);
  // The codes of a format are consecutive, so a carry out of the fraction increments the exponent.
  const auto code = static_cast<std::uint64_t>(multiple) +
                    (static_cast<std::uint64_t>(exponent - smallest_exponent) << format.fraction_bits);
  return code > format.largest ? overflowed(format, x.negative, rounding, satfinite) : code;
}

Number number(double x) { return decode(f64, bits_of(x)); }
double to_double(const Number& x, Rounding rounding) {
  return std::bit_cast<double>(encode(f64, x, rounding));
}

/// Shifts the magnitude so that its top bit is bit 125: two of them add without overflow.
Number normalized(Number x) {
  const int shift = 125 - top_bit(x.magnitude);
  x.magnitude <<= shift;
  x.exponent -= shift;
  return x;
}

/// Sum of finite numbers. At most one of them may have more than 64 bits.
Number sum(Number a, Number b, Rounding rounding) {
  if (a.magnitude == 0 && b.magnitude == 0)
    return {.negative = rounding == Rounding::rm ? a.negative || b.negative : a.negative && b.negative};
  if (b.magnitude == 0) return a;
  if (a.magnitude == 0) return b;
  a = normalized(a);
  b = normalized(b);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.magnitude < b.magnitude)) std::swap(a, b);
  b.magnitude = shift_right_jamming(b.magnitude, a.exponent - b.exponent);
  if (a.negative == b.negative) {
    a.magnitude += b.magnitude;
  } else {
    a.magnitude -= b.magnitude;
    if (a.magnitude == 0) a.negative = rounding == Rounding::rm;
  }
  return a;
}

}  // namespace

Number decode(const Format& format, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << (format.bits() - 1), magnitude = bits & (sign - 1);
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits, fraction = magnitude & (hidden - 1);
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  Number x{.negative = (bits & sign) != 0};
  if (magnitude > format.largest) {
    x.kind = format.infinite && magnitude == format.overflow ? Kind::infinity : Kind::nan;
    return x;
  }
  x.magnitude = exponent == 0 ? fraction : fraction | hidden;
  x.exponent = std::max(exponent, 1) - format.bias() - static_cast<int>(format.fraction_bits);
  return x;
}

Number from_integer(bool negative, std::uint64_t magnitude) {
  return {.negative = negative, .magnitude = magnitude};
}

std::uint64_t encode(const Format& format, const Number& x, Rounding rounding, bool satfinite) {
  const std::uint64_t sign = std::uint64_t{1} << (format.bits() - 1);
  const bool negative = x.negative && x.kind != Kind::nan;
  return encode_magnitude(format, x, rounding, satfinite) | (negative ? sign : 0);
}

Number to_integral(const Number& x, Rounding rounding) {
  if (x.kind != Kind::finite || x.exponent >= 0) return x;
  Number result = x;
  result.exponent = 0;
  result.magnitude = quantize(x, 0, rounding);
  return result;
}

double add(double a, double b, Rounding rounding) {
  const Number x = number(a), y = number(b);
  if (x.kind != Kind::finite || y.kind != Kind::finite) return a + b;
  return to_double(sum(x, y, rounding), rounding);
}

double mul(double a, double b, Rounding rounding) {
  // Adding a zero with the sign of the product preserves that sign.
  return fma(a, b, std::signbit(a) != std::signbit(b) ? -0.0 : 0.0, rounding);
}

double fma(double a, double b, double c, Rounding rounding) {
  const Number x = number(a), y = number(b), z = number(c);
  if (x.kind != Kind::finite || y.kind != Kind::finite || z.kind != Kind::finite) return std::fma(a, b, c);
  const Number product{Kind::finite, x.negative != y.negative, x.exponent + y.exponent,
                       x.magnitude * y.magnitude};
  return to_double(sum(product, z, rounding), rounding);
}

double div(double a, double b, Rounding rounding) {
  const Number x = number(a), y = number(b);
  if (x.kind != Kind::finite || y.kind != Kind::finite || x.magnitude == 0 || y.magnitude == 0) return a / b;
  // The quotient has at least 64 bits, since the dividend has 126 bits and the divisor at most 53.
  const Number dividend = normalized(x);
  const u128 quotient = dividend.magnitude / y.magnitude;
  const bool inexact = quotient * y.magnitude != dividend.magnitude;
  return to_double(
      {Kind::finite, x.negative != y.negative, dividend.exponent - y.exponent, quotient | inexact}, rounding);
}

double sqrt(double a, Rounding rounding) {
  Number x = number(a);
  if (x.kind != Kind::finite || x.magnitude == 0 || x.negative) return std::sqrt(a);
  x = normalized(x);
  if (x.exponent % 2 != 0) x.magnitude >>= 1, x.exponent += 1;
  // Bit by bit from the top: the largest root whose square does not exceed the magnitude.
  u128 root = 0;
  for (u128 bit = u128{1} << 62; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= x.magnitude) root |= bit;
  const bool inexact = root * root != x.magnitude;
  return to_double({Kind::finite, false, x.exponent / 2 - 1, root << 1 | inexact}, rounding);
}

}  // namespace foldproof::isa::exact
