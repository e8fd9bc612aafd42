// 16-bit floats: representation and arithmetic as PTX defines them. ISA 9.7.4.
//
// Every result is rounded once: products of two 16-bit floats are exact in double, sums are rounded to odd
// there, and a value rounded to odd at 24 bits rounds to 11 or 8 bits like the exact one. There are no
// branches.
#pragma once

#include <bit>
#include <cstdint>

#include "devices/emulated/isa/float.h"

namespace foldproof::isa {

/// .f16: 1 sign, 5 exponent, 10 fraction bits.
struct Half {
  std::uint16_t bits;
};

/// .bf16: the upper half of an f32.
struct Bfloat {
  std::uint16_t bits;
};

/// .f16x2, .bf16x2, .u16x2, .s16x2, .f32x2: `low` is in the low bits.
template <class T>
struct Pair {
  T low, high;
};

/// The canonical NaN of 16-bit instructions, in both formats.
inline constexpr std::uint16_t half_nan = 0x7FFF;
inline constexpr std::uint16_t half_sign = 0x8000;

inline float to_float(float x) { return x; }
inline float to_float(Bfloat x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }
inline float to_float(Half x) {
  constexpr std::uint32_t rebias = (127u - 15u) << 23, one = 1u << 23;
  const std::uint32_t magnitude = std::uint32_t{x.bits & 0x7FFFu} << 13;
  const std::uint32_t sign = std::uint32_t{x.bits & 0x8000u} << 16;
  // A subnormal: its fraction with the exponent of the smallest normal, minus the smallest normal.
  const float subnormal = std::bit_cast<float>(magnitude + rebias + one) - std::bit_cast<float>(rebias + one);
  const std::uint32_t special = magnitude >= 0x0F800000u ? rebias : 0;
  const std::uint32_t normal = magnitude + rebias + special;
  return std::bit_cast<float>((magnitude < one ? bits_of(subnormal) : normal) | sign);
}

/// x rounded to odd in f32: if inexact, the adjacent f32 towards zero with its last bit set.
inline float to_odd_float(double x) {
  const float r = static_cast<float>(x);
  const double back = static_cast<double>(r);
  const bool outside = (back > x) != (x < 0) && back != x;  // rounded away from zero
  const bool inexact = back < x || back > x;
  const std::uint32_t truncated = bits_of(r) - std::uint32_t{outside && inexact};
  return std::bit_cast<float>(truncated | std::uint32_t{inexact});
}

/// Rounds to nearest even.
template <class H>
H narrow(float x);
template <>
inline float narrow<float>(float x) {
  return x;
}
template <>
inline Bfloat narrow<Bfloat>(float x) {
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  return {static_cast<std::uint16_t>(x != x ? half_nan : rounded)};
}
template <>
inline Half narrow<Half>(float x) {
  constexpr std::uint32_t first_overflow = (127u + 16u) << 23, first_normal = (127u - 14u) << 23;
  constexpr std::uint32_t aligner = (127u - 15u + 23u - 10u + 1u)
                                    << 23;  // its last bit is the last subnormal bit
  const std::uint32_t sign = bits_of(x) & f32_sign, magnitude = bits_of(x) ^ sign;
  const std::uint32_t subnormal =
      bits_of(std::bit_cast<float>(magnitude) + std::bit_cast<float>(aligner)) - aligner;
  const std::uint32_t normal = (magnitude - ((127u - 15u) << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13;
  const std::uint32_t finite = magnitude < first_normal ? subnormal : normal;
  const std::uint32_t number = (magnitude >= first_overflow ? 0x7C00u : finite) | sign >> 16;
  return {static_cast<std::uint16_t>(x != x ? half_nan : number)};
}

/// .ftz
inline Half flush_if(bool tiny, Half x) {
  return {static_cast<std::uint16_t>(tiny ? x.bits & half_sign : x.bits)};
}
inline Half flush(Half x) {
  return {static_cast<std::uint16_t>((x.bits & 0x7C00) == 0 ? x.bits & half_sign : x.bits)};
}

/// .sat turns NaN into +0, .relu keeps it. NaN results of 16-bit operations are always canonical.
template <class H>
H saturate(H x) {
  return narrow<H>(saturate(to_float(x)));
}
template <class H>
H relu(H x) {
  const float value = to_float(x);
  return narrow<H>(value < 0.0f || value == 0.0f ? 0.0f : value);
}
template <class H>
H canonical(H x) {
  return x;
}

namespace half {

template <class H>
H add(H a, H b) {
  return narrow<H>(to_float(a) + to_float(b));
}
template <class H>
H sub(H a, H b) {
  return narrow<H>(to_float(a) - to_float(b));
}

inline Half mul(Half a, Half b) { return narrow<Half>(to_float(a) * to_float(b)); }
inline Bfloat mul(Bfloat a, Bfloat b) {
  return narrow<Bfloat>(to_odd_float(static_cast<double>(to_float(a)) * static_cast<double>(to_float(b))));
}
inline Half fma(Half a, Half b, Half c) {
  return narrow<Half>(f32::add_to_odd(to_float(a) * to_float(b), to_float(c)));
}
inline Bfloat fma(Bfloat a, Bfloat b, Bfloat c) {
  const double product = static_cast<double>(to_float(a)) * static_cast<double>(to_float(b));
  return narrow<Bfloat>(to_odd_float(f32::add_to_odd(product, static_cast<double>(to_float(c)))));
}

/// Whether .ftz flushes a result: if the exact result, rounded to 11 bits with unbounded exponent, is below
/// 2^-14. It is rounded here after scaling by 2^14.
inline bool is_tiny(float exact) { return (narrow<Half>(exact * 0x1p14f).bits & 0x7FFF) < 0x3C00; }
inline bool product_is_tiny(Half a, Half b) { return is_tiny(to_float(a) * to_float(b)); }
inline bool fused_is_tiny(Half a, Half b, Half c) {
  return is_tiny(f32::add_to_odd(to_float(a) * to_float(b), to_float(c)));
}

template <class H>
H abs(H a) {
  return {static_cast<std::uint16_t>(a.bits & ~half_sign)};
}

}  // namespace half
}  // namespace foldproof::isa
