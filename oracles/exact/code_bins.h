// Exact sums for formats of at most 32 bits: codes of the same sign and exponent are summed as integers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>

#include "oracles/exact/long_accumulator.h"
#include "oracles/exact_sum.h"

namespace foldproof {

/// One bin per sign and exponent, or per code if there are 256. A bin counts its codes and sums their
/// fractions; for types of at most 16 bits it sums whole codes, whose upper bits are equal within a bin:
///
///   63          43 42             0
///   |    count    | fractions      |     2^20 fractions of 23 bits stay below 2^43
template <class T>
class CodeBins {
 public:
  static constexpr std::size_t most = std::size_t{1} << 20;

  /// Returns whether all values are −0.
  bool add(std::span<const T> values, const SignedSums& part) {
    bins_ = {};
    std::size_t i = 0;
    for (; i + banks <= values.size(); i += banks)
      for (std::size_t bank = 0; bank < banks; ++bank) add_one(values[i + bank], bank);
    for (; i < values.size(); ++i) add_one(values[i], 0);
    std::uint64_t negative_zeros = 0;
    for (std::size_t k = 0; k < bins_.size(); ++k) {
      const std::uint64_t bin = std::accumulate(bins_[k].begin(), bins_[k].end(), std::uint64_t{0});
      if (bin == 0) continue;
      const std::uint64_t times = bin >> count_place;
      const std::uint64_t fractions = (bin & (one - 1)) - (sizeof(T) == 4 ? 0 : times * (k << fraction_bits));
      const Number first = decode(element, k << fraction_bits);  // sign and exponent with a zero fraction
      // Infinities and NaNs share an exponent; only a NaN has a fraction.
      if (first.is_finite())
        part.add(first.negative, times * first.significand + fractions, first.exponent);
      else
        part.specials.add(fractions == 0 ? first.category : Number::Category::nan, first.negative);
      if (first.is_zero() && first.negative && fractions == 0) negative_zeros = times;
    }
    return negative_zeros == values.size();
  }

 private:
  using Code = std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>;
  static constexpr Element element = ElementOf<T>::value;
  static constexpr unsigned fraction_bits = element == Element::f32    ? 23
                                            : element == Element::f16  ? 10
                                            : element == Element::bf16 ? 7
                                                                       : 0;
  static constexpr unsigned count_place = 43;
  static constexpr std::uint64_t one = std::uint64_t{1} << count_place;
  static constexpr std::size_t banks = sizeof(T) == 1 ? 8 : 4;  // avoids dependent additions to one bin

  void add_one(T value, std::size_t bank) {
    const auto code = std::bit_cast<Code>(value);
    const Code kept = sizeof(T) == 4 ? code & ((Code{1} << fraction_bits) - 1) : code;
    bins_[code >> fraction_bits][bank] += one + kept;
  }

  std::array<std::array<std::uint64_t, banks>, std::size_t{1} << (8 * sizeof(T) - fraction_bits)> bins_;
};

}  // namespace foldproof
