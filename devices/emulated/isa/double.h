// f64 arithmetic as PTX defines it, in every rounding mode. ISA 9.7.3.
//
// A NaN operand propagates, made quiet; if there are several, the first in order of preference. The host's
// choice would depend on the compiler.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "devices/emulated/isa/exact.h"

namespace foldproof::isa::f64 {

/// The NaN that f64 instructions produce for invalid operations.
inline constexpr std::uint64_t invalid = 0xFFF8000000000000;
inline constexpr std::uint64_t quiet_bit = 0x0008000000000000;
inline constexpr std::uint64_t sign = 0x8000000000000000;

inline double quiet(double x) { return std::bit_cast<double>(bits_of(x) | quiet_bit); }

/// The NaN result of an operation, or its number. NaN operands are listed in order of preference.
inline double settle(double result) { return result != result ? std::bit_cast<double>(invalid) : result; }
template <class... More>
double settle(double result, double operand, More... more) {
  const double rest = settle(result, more...);
  return operand != operand ? quiet(operand) : rest;
}

template <Rounding rounding>
double add(double a, double b) {
  if constexpr (rounding == Rounding::rn) return settle(a + b, b, a);
  return settle(exact::add(a, b, rounding), b, a);
}
template <Rounding rounding>
double sub(double a, double b) {
  if constexpr (rounding == Rounding::rn) return settle(a - b, b, a);
  return settle(exact::add(a, -b, rounding), b, a);
}
template <Rounding rounding>
double mul(double a, double b) {
  if constexpr (rounding == Rounding::rn) return settle(a * b, b, a);
  return settle(exact::mul(a, b, rounding), b, a);
}
template <Rounding rounding>
double fma(double a, double b, double c) {
  if constexpr (rounding == Rounding::rn) return settle(std::fma(a, b, c), b, c, a);
  return settle(exact::fma(a, b, c, rounding), b, c, a);
}
template <Rounding rounding>
double div(double a, double b) {
  if constexpr (rounding == Rounding::rn) return settle(a / b, a, b);
  return settle(exact::div(a, b, rounding), a, b);
}
template <Rounding rounding>
double rcp(double a) {
  return div<rounding>(1.0, a);
}
template <Rounding rounding>
double sqrt(double a) {
  if constexpr (rounding == Rounding::rn) return settle(std::sqrt(a), a);
  return settle(exact::sqrt(a, rounding), a);
}

/// −0 is less than +0. A NaN yields the other operand; if both are NaN, the second propagates.
inline double min(double a, double b) {
  if (a != a) return b != b ? quiet(b) : b;
  if (b != b) return a;
  if (a == b) return std::bit_cast<double>(bits_of(a) | bits_of(b));
  return a < b ? a : b;
}
inline double max(double a, double b) {
  if (a != a) return b != b ? quiet(b) : b;
  if (b != b) return a;
  if (a == b) return std::bit_cast<double>(bits_of(a) & bits_of(b));
  return a > b ? a : b;
}

/// The sign of a NaN is unchanged.
inline double neg(double a) { return a != a ? quiet(a) : std::bit_cast<double>(bits_of(a) ^ sign); }
inline double abs(double a) { return a != a ? quiet(a) : std::bit_cast<double>(bits_of(a) & ~sign); }

}  // namespace foldproof::isa::f64
