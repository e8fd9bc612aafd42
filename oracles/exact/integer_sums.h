// Exact sums of integers: the sum of a chunk fits into a wider integer.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "oracles/exact/long_accumulator.h"

namespace foldproof {

template <class T>
class IntegerSums {
 public:
  static constexpr std::size_t most = sizeof(T) <= 2 ? std::size_t{1} << 14 : std::size_t{1} << 20;

  static bool add(std::span<const T> values, const SignedSums& part) {
    if constexpr (sizeof(T) == 8)
      add_wide(values, part);
    else
      add_narrow(values, part);
    return false;
  }

 private:
  /// Holds the sum of the magnitudes of a chunk.
  using Sum = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::int64_t>;

  static void add_narrow(std::span<const T> values, const SignedSums& part) {
    Sum sum = 0, magnitude = 0;
    for (const T value : values) {
      sum += value;
      if constexpr (std::is_signed_v<T>) magnitude += value < 0 ? -Sum{value} : Sum{value};
    }
    if constexpr (!std::is_signed_v<T>) magnitude = sum;
    part.add(false, static_cast<std::uint64_t>(std::int64_t{magnitude} + sum) / 2, 0);
    part.add(true, static_cast<std::uint64_t>(std::int64_t{magnitude} - sum) / 2, 0);
  }

  /// Sums 32-bit halves separately: 2^20 of them stay far below 64 bits, and the loops are vectorized.
  static void add_wide(std::span<const T> values, const SignedSums& part) {
    constexpr unsigned half_bits = 32;
    constexpr std::uint64_t half = (std::uint64_t{1} << half_bits) - 1;
    std::uint64_t low = 0, high = 0, negative_low = 0, negative_high = 0;
    for (const T value : values) {
      const std::uint64_t ones = std::is_signed_v<T> && value < 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t magnitude = (static_cast<std::uint64_t>(value) ^ ones) - ones;
      low += magnitude & half;
      high += magnitude >> half_bits;
      if constexpr (std::is_signed_v<T>) {
        negative_low += magnitude & half & ones;
        negative_high += magnitude >> half_bits & ones;
      }
    }
    part.add(false, low - negative_low, 0);
    part.add(false, high - negative_high, half_bits);
    part.add(true, negative_low, 0);
    part.add(true, negative_high, half_bits);
  }
};

}  // namespace foldproof
