// Conversions between numbers as PTX defines them. ISA 9.7.9.21.
//
// The functions here are branch-free fast paths; convert.cpp performs all other conversions with exact.h.
#pragma once

#include <cstdint>
#include <limits>

#include "devices/emulated/isa/half.h"

namespace foldproof::isa::convert {

/// Integer to integer without .sat: the low bits, extended by the source's sign. In conversions to and from
/// f64, a NaN keeps its sign and upper payload bits, as on the host.
template <class D, class S>
D cast(S x) {
  return static_cast<D>(x);
}

inline float f32_from_u32(std::uint32_t x) { return static_cast<float>(static_cast<double>(x)); }

/// Truncates and clamps to the range; NaN gives 0.
inline std::int32_t s32_from_f32(float x) {
  constexpr double low = std::numeric_limits<std::int32_t>::min(),
                   high = std::numeric_limits<std::int32_t>::max();
  const double number = x == x ? static_cast<double>(x) : 0.0;
  const double floored = number > low ? number : low;
  return static_cast<std::int32_t>(floored < high ? floored : high);
}
inline std::uint32_t u32_from_f32(float x) {
  constexpr double high = std::numeric_limits<std::uint32_t>::max();
  const double floored = x > 0 ? static_cast<double>(x) : 0.0;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(floored < high ? floored : high));
}

inline float f32_from_f16(Half x) { return canonical(to_float(x)); }
/// A bf16 is the upper half of an f32, NaNs included.
inline float f32_from_bf16(Bfloat x) { return to_float(x); }
/// a becomes the high half.
template <class H>
Pair<H> pair_from_f32(float a, float b) {
  return {narrow<H>(b), narrow<H>(a)};
}

}  // namespace foldproof::isa::convert
