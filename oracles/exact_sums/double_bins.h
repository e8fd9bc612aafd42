// Exact sums of doubles: those of nearby exponents are added up as doubles that no addition rounds.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "oracles/exact_sums/part.h"
#include "oracles/float_format.h"

namespace foldproof {

constexpr unsigned fraction_bits = 52;
constexpr std::size_t fields = 2048, special_field = fields - 1;  ///< of exponents

/// By the twelve bits of sign and exponent field: where such numbers go. Eight fields share a window, but
/// infinities and NaNs have one to themselves.
constexpr std::size_t window_fields = 8;
constexpr std::size_t special_window = fields / window_fields, windows = special_window + 1;
constexpr auto window_of = [] {
  std::array<std::uint16_t, 2 * fields> all{};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t field = k % fields, first = k < fields ? 0 : windows;
    all[k] =
        static_cast<std::uint16_t>(first + (field == special_field ? special_window : field / window_fields));
  }
  return all;
}();

/// By window: what to take from a number's bits. In the last four windows of numbers, those from 2^993 on,
/// that scales by 2^-64, so that no sum overflows. (A multiplication would be slow for subnormals.) Of
/// infinities and NaNs it leaves the fraction, as a number from +0 on: 0 for an infinity.
constexpr int scaled_bits = 64;
constexpr auto taken_bits = [] {
  std::array<std::uint64_t, 2 * windows> all{};
  for (std::size_t k = special_window - 4; k < special_window; ++k)
    all[k] = all[windows + k] = std::uint64_t{scaled_bits} << fraction_bits;
  all[special_window] = std::uint64_t{special_field} << fraction_bits;
  all[windows + special_window] = std::uint64_t{fields + special_field} << fraction_bits;
  return all;
}();

/// A bin for each sign and window. It adds up the upper 26 bits of the significands and the lower 27 apart,
/// as doubles that no addition rounds: the upper parts are multiples of 2^(e-25) and below 2^(e+8), where 2^e
/// is the window's smallest normal, the lower ones multiples of 2^(e-52) and below 2^(e-18), so that 2^19 of
/// them stay within 53 bits.
class DoubleBins {
 public:
  static constexpr std::size_t most = std::size_t{1} << 18;

  /// Returns whether all are −0.
  bool add(std::span<const double> values, const Part& part) {
    // −0 + x is x for every x, −0 too: a bin that is still −0 has got nothing else.
    for (Bin& bin : bins_) std::ranges::fill(bin.bank, _mm_set_pd(0.0, -0.0));
    std::size_t i = 0;
    for (; i + banks <= values.size(); i += banks)
      for (std::size_t bank = 0; bank < banks; ++bank) add_one(values[i + bank], bank);
    for (; i < values.size(); ++i) add_one(values[i], 0);
    bool all_negative_zeros = true;
    for (std::size_t k = 0; k < bins_.size(); ++k) {
      const auto [upper, lower] = sums_of(bins_[k]);
      const bool zero = upper == 0 && lower == 0;
      if (zero && std::signbit(upper)) continue;
      all_negative_zeros = false;
      if (k % windows == special_window) {
        part.specials.add(zero ? Number::Category::infinity : Number::Category::nan, k >= windows);
      } else {
        const int shift = taken_bits[k] == 0 ? 0 : scaled_bits;
        add_to(part, upper, shift);
        add_to(part, lower, shift);
      }
    }
    return all_negative_zeros;
  }

 private:
  static constexpr std::size_t banks = 4;  // so that numbers of one window need not wait for each other
  struct alignas(16 * banks) Bin {
    __m128d bank[banks];  ///< upper and lower parts
  };
  struct Sums {
    double upper, lower;
  };

  void add_one(double value, std::size_t bank) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::size_t window = window_of[bits >> fraction_bits];
    const __m128d upper_bits = _mm_castsi128_pd(_mm_set1_epi64x(~((std::int64_t{1} << 27) - 1)));
    const __m128d whole = _mm_set_sd(std::bit_cast<double>(bits - taken_bits[window])),
                  upper = _mm_and_pd(whole, upper_bits);
    __m128d& bin = bins_[window].bank[bank];
    bin = _mm_add_pd(bin, _mm_unpacklo_pd(upper, _mm_sub_sd(whole, upper)));
  }

  static Sums sums_of(const Bin& bin) {
    __m128d sum = bin.bank[0];
    for (std::size_t bank = 1; bank < banks; ++bank) sum = _mm_add_pd(sum, bin.bank[bank]);
    return {_mm_cvtsd_f64(sum), _mm_cvtsd_f64(_mm_unpackhi_pd(sum, sum))};
  }

  /// A sum times 2^shift.
  static void add_to(const Part& part, double sum, int shift) {
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    const std::uint64_t field = bits >> fraction_bits & special_field;
    const std::uint64_t leading = std::uint64_t{field == 0 ? 0U : 1U} << fraction_bits;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
    part.add(std::signbit(sum), leading | fraction,
             std::max(static_cast<int>(field), 1) - 1 + float_format(Element::f64).lowest_exponent + shift);
  }

  std::array<Bin, taken_bits.size()> bins_;
};

}  // namespace foldproof
