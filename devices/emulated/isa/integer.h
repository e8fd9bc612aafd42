// Integer arithmetic as PTX defines it. ISA 9.7.1.
//
// Everything wraps, so sums and products are computed unsigned, in at least 32 bits: C++ would promote 16-bit
// operands to signed int, whose overflow is undefined.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "devices/emulated/isa/half.h"
#include "devices/emulated/isa/lanes.h"

namespace foldproof::isa::integer {

template <class T>
using Unsigned = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
/// A type that holds every product of two values of T.
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, s128, u128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;
template <class T>
inline constexpr unsigned width = 8 * sizeof(T);

template <class T>
T add(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
}
template <class T>
T neg(T a) {
  return sub(T{0}, a);
}
template <class T>
T abs(T a) {
  return a < 0 ? neg(a) : a;
}

inline std::int32_t clamp_s32(std::int64_t x) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min(),
                         high = std::numeric_limits<std::int32_t>::max();
  const std::int64_t floored = x < low ? low : x;
  return static_cast<std::int32_t>(floored > high ? high : floored);
}
inline std::int32_t add_sat(std::int32_t a, std::int32_t b) { return clamp_s32(std::int64_t{a} + b); }
inline std::int32_t sub_sat(std::int32_t a, std::int32_t b) { return clamp_s32(std::int64_t{a} - b); }

template <class T>
T mul_lo(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) * Unsigned<T>(b));
}
template <class T>
T mul_hi(T a, T b) {
  return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> width<T>);
}
template <class T>
Wide<T> mul_wide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}

template <class T>
T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
inline std::int32_t mad_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return add_sat(mul_hi(a, b), c);
}
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return add(mul_wide(a, b), c);
}

/// The low 24 bits of the operand, sign-extended for s32.
template <class T>
std::int64_t low24(T a) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
  return a & 0xFFFFFF;
}
/// The low 32 bits of the 48-bit product, or (.hi) its bits 47…16.
template <class T>
T mul24_lo(T a, T b) {
  return static_cast<T>(low24(a) * low24(b));
}
template <class T>
T mul24_hi(T a, T b) {
  return static_cast<T>((low24(a) * low24(b)) >> 16);
}
template <class T>
T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <class T>
T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
inline std::int32_t mad24_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return add_sat(mul24_hi(a, b), c);
}

template <class T>
T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

/// Division by zero gives all ones for quotient and remainder, as on hardware; the ISA leaves it unspecified.
/// MIN / −1 wraps to MIN.
template <class T>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return neg(a);
  return static_cast<T>(a / b);
}
template <class T>
T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
/// .relu: clamps to at least zero.
template <class T>
T min_relu(T a, T b) {
  return max(min(a, b), T{0});
}
template <class T>
T max_relu(T a, T b) {
  return max(max(a, b), T{0});
}

/// Applies f to both halves of a packed pair.
template <auto f, class T>
Pair<T> both(Pair<T> a, Pair<T> b) {
  return {f(a.low, b.low), f(a.high, b.high)};
}

/// Adds four (two) products of parts of a and b to c, modulo 2³².
template <class A, class B>
std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 32; i += 8)
    c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> i)} *
                                    std::int32_t{static_cast<B>(b >> i)});
  return c;
}
/// A and B: the 16-bit and 8-bit element types; `half` 0 selects the low two bytes of b, 1 the high two.
template <class A, class B, unsigned half>
std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 2; ++i) {
    const auto element = static_cast<B>(b >> (16 * half + 8 * i));
    c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> (16 * i))} * std::int32_t{element});
  }
  return c;
}

/// What vabsdiff does with the differences: keeps the low bits, clamps them to D, or adds them to c.
enum class Differences : std::uint8_t { cut, clamped, summed };

/// a - b| of all parts: A and B are the part types of the operands, D that of the result.
template <class A, class B, class D, Differences kept>
std::uint32_t vabsdiff(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = kept == Differences::summed ? c : 0;
  for (unsigned at = 0; at < 32; at += width<A>) {
    const std::int32_t difference =
        std::abs(std::int32_t{static_cast<A>(a >> at)} - std::int32_t{static_cast<B>(b >> at)});
    if constexpr (kept == Differences::summed) {
      result += static_cast<std::uint32_t>(difference);
    } else {
      const std::int32_t most = kept == Differences::clamped ? std::numeric_limits<D>::max() : difference;
      using Part = std::make_unsigned_t<A>;
      result |= std::uint32_t{static_cast<Part>(std::min(difference, most))} << at;
    }
  }
  return result;
}

}  // namespace foldproof::isa::integer
