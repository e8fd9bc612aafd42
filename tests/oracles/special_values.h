// Values that many tests of the oracles use.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace foldproof {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Of random sign, exponent and significand.
template <class T>
T any_finite(std::mt19937_64& random) {
  using Code = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (;;)
    if (const T value = std::bit_cast<T>(static_cast<Code>(random())); std::isfinite(value)) return value;
}

}  // namespace foldproof
