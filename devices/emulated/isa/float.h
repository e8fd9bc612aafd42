// f32 arithmetic as PTX defines it, in every rounding mode. ISA 9.7.3.
//
// Nothing here reads or sets the host's floating-point modes: directed roundings step from the nearest value
// according to the sign of the exact error, and fma rounds an odd-rounded double once. There are no branches,
// so that loops vectorize.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

inline constexpr std::uint32_t f32_sign = 0x80000000u;
inline constexpr std::uint32_t f32_infinity = 0x7F800000u;
/// The canonical NaN of f32 instructions.
inline constexpr std::uint32_t f32_nan = 0x7FFFFFFFu;

inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

/// .ftz: flushes a subnormal to a zero of the same sign.
inline float flush(float x) {
  const auto bits = bits_of(x);
  return std::bit_cast<float>((bits & f32_infinity) == 0 ? bits & f32_sign : bits);
}
inline float flush_if(bool tiny, float x) {
  return std::bit_cast<float>(bits_of(x) & (tiny ? f32_sign : ~0u));
}
inline float canonical(float x) { return std::bit_cast<float>(x != x ? f32_nan : bits_of(x)); }
/// .sat: clamped to [+0, 1]; NaN gives +0.
inline float saturate(float x) {
  const float low = x > 0.0f ? x : 0.0f;
  return low < 1.0f ? low : 1.0f;
}

namespace f32 {

/// Adjusts r by one step towards the exact result. r is the nearest float, and `error` has the sign of exact
/// − r.
template <Rounding rounding>
float directed(float r, double error) {
  if constexpr (rounding == Rounding::rn) return r;
  const bool negative = (bits_of(r) & f32_sign) != 0;
  const bool below = error<0, above = error> 0;
  const bool inwards = negative ? above : below, outwards = negative ? below : above;
  bool step_in = inwards, step_out = false;
  if constexpr (rounding == Rounding::rm) step_in = inwards && !negative, step_out = outwards && negative;
  if constexpr (rounding == Rounding::rp) step_in = inwards && negative, step_out = outwards && !negative;
  return std::bit_cast<float>(bits_of(r) - std::uint32_t{step_in} + std::uint32_t{step_out});
}

template <Rounding rounding>
float round(double x) {
  const float r = static_cast<float>(x);
  return directed<rounding>(r, x - static_cast<double>(r));
}

/// x + y rounded to odd: an inexact sum gets an odd last bit, so that a later rounding to fewer bits is not a
/// double rounding. Knuth's two-sum gives the exact error unless an intermediate overflows.
template <class T>
T add_to_odd(T x, T y) {
  using Bits = decltype(bits_of(x));
  const T sum = x + y, x_part = sum - y, y_part = sum - x_part;
  const T error = (x - x_part) + (y - y_part);
  const bool inexact = error < 0 || error > 0;
  const bool outwards = (error > 0) == (sum > 0);
  const Bits bits = bits_of(sum), step = outwards ? Bits{1} : ~Bits{0};
  return std::bit_cast<T>(bits + (inexact && (bits & 1) == 0 ? step : 0));
}

/// x + y for directed rounding; an exact zero is −0 when rounding down, unless both operands are +0.
template <Rounding rounding>
double add_exactly(double x, double y) {
  const double sum = add_to_odd(x, y);
  if constexpr (rounding != Rounding::rm) return sum;
  const std::uint64_t sign = (bits_of(x) | bits_of(y)) & 0x8000000000000000u;
  return std::bit_cast<double>(bits_of(sum) | (sum == 0 ? sign : 0));
}

template <Rounding rounding>
float add(float a, float b) {
  if constexpr (rounding == Rounding::rn) return a + b;
  return round<rounding>(add_exactly<rounding>(a, b));
}
template <Rounding rounding>
float sub(float a, float b) {
  return add<rounding>(a, -b);
}
template <Rounding rounding>
float mul(float a, float b) {
  if constexpr (rounding == Rounding::rn) return a * b;
  return round<rounding>(static_cast<double>(a) * static_cast<double>(b));
}
template <Rounding rounding>
float fma(float a, float b, float c) {
  return round<rounding>(
      add_exactly<rounding>(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
}
template <Rounding rounding>
float div(float a, float b) {
  const float r = a / b;
  const double rest = static_cast<double>(a) - static_cast<double>(r) * static_cast<double>(b);
  return directed<rounding>(r, b < 0 ? -rest : rest);
}
template <Rounding rounding>
float rcp(float a) {
  return div<rounding>(1.0f, a);
}
template <Rounding rounding>
float sqrt(float a) {
  const float r = std::sqrt(a);
  return directed<rounding>(r, static_cast<double>(a) - static_cast<double>(r) * static_cast<double>(r));
}

/// Whether .ftz flushes a result: if the exact result, rounded to 24 bits with unbounded exponent, is below
/// 2^-126. It is rounded here after scaling by 2^64. (A sum that small is exact.)
inline constexpr float scale = 0x1p64f, scaled_limit = 0x1p-62f;
inline bool is_tiny(float scaled) { return scaled < scaled_limit && scaled > -scaled_limit; }
template <Rounding rounding>
bool product_is_tiny(float a, float b) {
  return is_tiny(
      round<rounding>(static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(scale)));
}
template <Rounding rounding>
bool fused_is_tiny(float a, float b, float c) {
  const double exact = add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c));
  return is_tiny(round<rounding>(exact * static_cast<double>(scale)));
}
template <Rounding rounding>
bool quotient_is_tiny(float a, float b) {
  return is_tiny(div<rounding>(a * scale, b));
}
template <Rounding rounding>
bool reciprocal_is_tiny(float a) {
  return quotient_is_tiny<rounding>(1.0f, a);
}

/// Unlike the host's fmin: −0 is less than +0, and a NaN yields the other operand.
inline float min(float a, float b) {
  const bool equal = a == b;
  const std::uint32_t zero_aware = bits_of(a) | bits_of(b);  // equal values differ only as −0 and +0
  const float ordered = a < b ? a : b;
  const float number = a != a ? b : ordered;
  const float result = b != b ? a : number;
  return std::bit_cast<float>(equal ? zero_aware : bits_of(result));
}
inline float max(float a, float b) {
  const bool equal = a == b;
  const std::uint32_t zero_aware = bits_of(a) & bits_of(b);
  const float ordered = a > b ? a : b;
  const float number = a != a ? b : ordered;
  const float result = b != b ? a : number;
  return std::bit_cast<float>(equal ? zero_aware : bits_of(result));
}
/// .NaN: a NaN operand propagates.
inline float min_nan(float a, float b) { return a != a ? a : b != b ? b : min(a, b); }
inline float max_nan(float a, float b) { return a != a ? a : b != b ? b : max(a, b); }

inline float neg(float a) { return std::bit_cast<float>(bits_of(a) ^ f32_sign); }
inline float abs(float a) { return std::bit_cast<float>(bits_of(a) & ~f32_sign); }

}  // namespace f32

/// fma.rn with the processor's own instruction: the same bits as f32::fma and f64::fma, but faster. Null if
/// the processor does not have it, or PTX does not have these modifiers.
Compute hardware_fma(const Form& form);

}  // namespace foldproof::isa
