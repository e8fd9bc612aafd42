// Exact values and correct rounding, in integer arithmetic: for conversions and for the directed roundings of
// f64.
#pragma once

#include <bit>
#include <cstdint>

#include "devices/emulated/isa/float.h"
#include "devices/emulated/isa/lanes.h"

namespace foldproof::isa::exact {

/// A binary floating-point format of up to 64 bits: sign, exponent, fraction. `largest` is the greatest
/// finite magnitude; `overflow` is the code above it (an infinity, or a NaN if the format has none).
struct Format {
  unsigned exponent_bits, fraction_bits;
  std::uint64_t largest, overflow, nan;
  bool infinite = true;  ///< `overflow` is an infinity

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
};

inline constexpr Format f64{11, 52, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF8000000000000};
inline constexpr Format f32{8, 23, 0x7F7FFFFF, 0x7F800000, 0x7FFFFFFF};
inline constexpr Format tf32{8, 10, 0x3FBFF, 0x3FC00, 0x3FFFF};  ///< the upper 19 bits of an f32
inline constexpr Format bf16{8, 7, 0x7F7F, 0x7F80, 0x7FFF};
inline constexpr Format f16{5, 10, 0x7BFF, 0x7C00, 0x7FFF};
inline constexpr Format e5m2{5, 2, 0x7B, 0x7C, 0x7F};
inline constexpr Format e4m3{4, 3, 0x7E, 0x7F, 0x7F, false};
inline constexpr Format e3m2{3,    2,    0x1F,
                             0x1F, 0x1F, false};  ///< no infinity, no NaN: both become the largest
inline constexpr Format e2m3{2, 3, 0x1F, 0x1F, 0x1F, false};
inline constexpr Format e2m1{2, 1, 0x7, 0x7, 0x7, false};

enum class Kind : std::uint8_t { finite, infinity, nan };

/// (−1)^negative · magnitude · 2^exponent. The last bit of magnitude may be sticky, provided that magnitude
/// has at least two bits more than the format to which it is rounded.
struct Number {
  Kind kind = Kind::finite;
  bool negative = false;
  int exponent = 0;
  u128 magnitude = 0;
};

Number decode(const Format& format, std::uint64_t bits);
Number from_integer(bool negative, std::uint64_t magnitude);

/// The bits of x in the format, rounded once. A NaN becomes the format's canonical NaN.
std::uint64_t encode(const Format& format, const Number& x, Rounding rounding, bool satfinite = false);

/// x rounded to an integer, still exact.
Number to_integral(const Number& x, Rounding rounding);

double add(double a, double b, Rounding rounding);
double mul(double a, double b, Rounding rounding);
double fma(double a, double b, double c, Rounding rounding);
double div(double a, double b, Rounding rounding);
double sqrt(double a, Rounding rounding);

}  // namespace foldproof::isa::exact
