// Doubles as integers, for tests that compute without rounding.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>

namespace foldproof {

/// x as a multiple of the smallest subnormal of f64.
inline boost::multiprecision::cpp_int in_smallest(double x) {
  using Integer = boost::multiprecision::cpp_int;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto significand = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 + 1074;
  return shift >= 0 ? Integer(significand) * (Integer(1) << shift)
                    : Integer(significand) / (Integer(1) << -shift);
}

}  // namespace foldproof
