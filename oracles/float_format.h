// The shapes of the floating-point formats.
#pragma once

#include <cstdint>

#include "oracles/element.h"

namespace foldproof {

/// A binary floating-point format. Its finite values are the multiples of 2^lowest_exponent with at most
/// `precision` significant bits, up to largest_significand * 2^highest_exponent. Its codes are a sign, an
/// exponent field that counts from 1 (0: subnormal), and precision - 1 bits of fraction.
struct FloatFormat {
  int precision;         ///< p; the unit roundoff is 2^-p
  int lowest_exponent;   ///< the smallest subnormal is 2^lowest_exponent
  int highest_exponent;  ///< of the last place of the largest finite value
  std::uint64_t largest_significand;
  bool has_infinity, has_nan;

  /// Of the smallest normal value.
  int normal_exponent() const { return lowest_exponent + precision - 1; }
  /// The code of the largest finite value.
  std::uint64_t largest_code() const {
    const auto field = static_cast<std::uint64_t>(highest_exponent - lowest_exponent);
    return (field << (precision - 1)) + largest_significand;
  }
};

/// The format of a floating-point element.
const FloatFormat& float_format(Element element);
/// Whether every value of `inner` is one of `outer`; both floating-point.
bool includes(Element outer, Element inner);

}  // namespace foldproof
