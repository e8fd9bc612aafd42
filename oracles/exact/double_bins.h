// Exact sums of doubles: significands of the same sign and exponent are summed as integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "oracles/exact/long_accumulator.h"
#include "oracles/formats.h"

namespace foldproof {

/// One bin per sign and exponent field, in four banks used in turn, so that numbers of the same bin need not
/// wait for each other:
///
///   63   52 51       0        63                    0
///   |  bin | fraction |  ──►  |  sum modulo 2^64    |  of the significands, per bank
///                             |  carries |             out of the sums of all banks
///
/// A significand is below 2^53, so 2^43 of them stay below 2^96: 64 bits, plus 32 bits of carries. A carry
/// takes 2^11 additions to the same sum, which makes it cheap as a branch.
class DoubleBins {
 public:
  static constexpr std::size_t most = std::size_t{1} << 43;

  /// Returns whether all values are −0.
  bool add(std::span<const double> values, const SignedSums& part) {
    for (Sums* sums : banks()) *sums = {};
    carries_ = {};
    bool only_negative_zeros = true;
    for (std::size_t at = 0; at < values.size(); at += block) {
      const std::span<const double> some = values.subspan(at, std::min(block, values.size() - at));
      add_all(some);
      hand_over_specials(some, part.specials);
      only_negative_zeros = only_negative_zeros && are_negative_zeros(some);
    }
    hand_over_finite(part);
    return only_negative_zeros;
  }

 private:
  static constexpr unsigned fraction_bits = 52;
  static constexpr std::uint64_t leading = std::uint64_t{1} << fraction_bits;
  static constexpr std::uint64_t magnitude_bits = ~std::uint64_t{0} >> 1;
  static constexpr std::size_t fields = 2048, bins = 2 * fields;
  static constexpr int special_field = fields - 1;  ///< infinities and NaNs
  using Sums = std::array<std::uint64_t, bins>;

  /// Numbers per block; a block is still in cache when it is read a second time.
  static constexpr std::size_t block = std::size_t{1} << 13;

  /// Numbers per cache line, and the prefetch distance. Hardware prefetchers are unreliable when bins of many
  /// exponents are accessed in between. Memory responds before 2 KiB have been summed.
  static constexpr std::size_t line = 8, ahead = 32 * line;

  /// An L1 cache has at least eight ways of 4 KiB: it holds the eight bins of a bank that are 512 fields, 4
  /// KiB, apart. The gaps move the bins of the other banks to different sets; since no two pairs of banks are
  /// equally far apart, no other exponents bring them together either.
  template <std::size_t lines>
  struct Bank {
    alignas(64) Sums sums;
    std::array<std::uint64_t, line * lines> gap;
  };

  std::array<Sums*, 4> banks() { return {&first_.sums, &second_.sums, &third_.sums, &fourth_.sums}; }

  /// Not inlined: in its caller the constants would not get registers.
  [[gnu::noinline]] void add_all(std::span<const double> values) {
    std::size_t i = 0;
    for (; i + line <= values.size(); i += line) {
      __builtin_prefetch(&values[std::min(i + ahead, values.size() - 1)]);
      add_four(values.subspan(i).first<4>());
      add_four(values.subspan(i + 4).first<4>());
    }
    for (; i < values.size(); ++i) add_one(values[i], first_.sums);
  }

  void add_four(std::span<const double, 4> values) {
    add_one(values[0], first_.sums);
    add_one(values[1], second_.sums);
    add_one(values[2], third_.sums);
    add_one(values[3], fourth_.sums);
  }

  void add_one(double value, Sums& sums) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t bin = bits >> fraction_bits;
    // A subnormal's significand is its magnitude, since it has no leading one; other magnitudes are not
    // smaller.
    const std::uint64_t significand = std::min(bits & magnitude_bits, (bits & (leading - 1)) | leading);
    if (__builtin_add_overflow(sums[bin], significand, &sums[bin])) [[unlikely]]
      ++carries_[bin];
  }

  bool is_empty(std::size_t bin) const {
    return (first_.sums[bin] | second_.sums[bin] | third_.sums[bin] | fourth_.sums[bin] | carries_[bin]) == 0;
  }

  Wide sum_of(std::size_t bin) const {
    constexpr unsigned word_bits = 64;
    return (Wide{carries_[bin]} << word_bits) + first_.sums[bin] + second_.sums[bin] + third_.sums[bin] +
           fourth_.sums[bin];
  }

  void hand_over_finite(const SignedSums& part) {
    const int lowest_exponent = float_format(Element::f64).lowest_exponent;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const int field = static_cast<int>(bin % fields);
      if (!is_empty(bin)) part.add(bin >= fields, sum_of(bin), lowest_exponent + std::max(field, 1) - 1);
    }
  }

  /// Sums do not distinguish infinities from NaNs, so their numbers are read a second time.
  void hand_over_specials(std::span<const double> values, Specials& specials) {
    constexpr std::size_t positive = special_field, negative = fields + special_field;
    if (is_empty(positive) && is_empty(negative)) return;
    const bool nan = specials.nan || have_nan(values);  // with a NaN, infinities make no difference
    const auto category = nan ? Number::Category::nan : Number::Category::infinity;
    for (const std::size_t bin : {positive, negative})
      if (!is_empty(bin)) specials.add(category, bin == negative);
    for (const std::size_t bin : {positive, negative}) {
      for (Sums* sums : banks()) (*sums)[bin] = 0;
      carries_[bin] = 0;
    }
  }

  static bool have_nan(std::span<const double> values) {
    constexpr std::uint64_t infinity = std::uint64_t{special_field} << fraction_bits;
    return any_bits(values, [](std::uint64_t bits) { return infinity - (bits & magnitude_bits); }) >> 63 != 0;
  }

  static bool are_negative_zeros(std::span<const double> values) {
    return any_bits(values, [](std::uint64_t bits) { return bits ^ ~magnitude_bits; }) == 0;
  }

  /// Bits set in f(x) for any number x. No early exit, so that two numbers are processed at a time.
  template <class F>
  static std::uint64_t any_bits(std::span<const double> values, F f) {
    std::uint64_t any = 0;
    for (const double value : values) any |= f(std::bit_cast<std::uint64_t>(value));
    return any;
  }

  Bank<17> first_;
  Bank<18> second_;
  Bank<15> third_;
  Bank<0> fourth_;
  std::array<std::uint32_t, bins> carries_;
};

}  // namespace foldproof
