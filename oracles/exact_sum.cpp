// Numbers go to bins by sign and exponent, where additions are exact for as many as a chunk has; a chunk's
// bins go to the long accumulators.
#include "oracles/exact_sum.h"

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>

namespace foldproof {
namespace {

/// What a chunk of numbers adds to a sum.
struct Part {
  LongAccumulator& positive;
  LongAccumulator& negative;
  Specials& specials;

  void add(bool is_negative, std::uint64_t significand, int exponent) const {
    (is_negative ? negative : positive).add(significand, exponent);
  }
};

// --- formats of at most 32 bits

/// A bin for each sign and exponent, or for each code where there are 256. It counts its codes and adds up
/// their fractions; of 16 bits and less the whole codes, whose upper bits are the same in all of a bin:
///
///   63          43 42             0
///   |  how many   | fractions      |     2^20 fractions of 23 bits stay below 2^43
template <class T>
class CodeBins {
 public:
  static constexpr std::size_t most = std::size_t{1} << 20;

  /// Returns whether all are −0.
  bool add(std::span<const T> values, const Part& part) {
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
      const Number first = decode(element, k << fraction_bits);  // has the sign, the exponent and no fraction
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
  static constexpr std::size_t banks = sizeof(T) == 1 ? 8 : 4;  // so that codes of one bin need not wait

  void add_one(T value, std::size_t bank) {
    const auto code = std::bit_cast<Code>(value);
    const Code kept = sizeof(T) == 4 ? code & ((Code{1} << fraction_bits) - 1) : code;
    bins_[code >> fraction_bits][bank] += one + kept;
  }

  std::array<std::array<std::uint64_t, banks>, std::size_t{1} << (8 * sizeof(T) - fraction_bits)> bins_;
};

// --- f64

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

// --- integers

template <class T>
class IntegerSums {
 public:
  static constexpr std::size_t most = sizeof(T) <= 2 ? std::size_t{1} << 14 : std::size_t{1} << 20;

  static bool add(std::span<const T> values, const Part& part) {
    if constexpr (sizeof(T) == 8)
      add_wide(values, part);
    else
      add_narrow(values, part);
    return false;
  }

 private:
  /// Holds the magnitudes of a chunk.
  using Sum = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::int64_t>;

  static void add_narrow(std::span<const T> values, const Part& part) {
    Sum sum = 0, magnitude = 0;
    for (const T value : values) {
      sum += value;
      if constexpr (std::is_signed_v<T>) magnitude += value < 0 ? -Sum{value} : Sum{value};
    }
    if constexpr (!std::is_signed_v<T>) magnitude = sum;
    part.add(false, static_cast<std::uint64_t>(std::int64_t{magnitude} + sum) / 2, 0);
    part.add(true, static_cast<std::uint64_t>(std::int64_t{magnitude} - sum) / 2, 0);
  }

  /// Halves of 32 bits apart: 2^20 of them stay far below 64 bits, and their loops are vectorised.
  static void add_wide(std::span<const T> values, const Part& part) {
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

template <class T>
using BinsOf =
    std::conditional_t<std::is_same_v<T, double>, DoubleBins,
                       typename std::conditional_t<std::is_integral_v<T>, std::type_identity<IntegerSums<T>>,
                                                   std::type_identity<CodeBins<T>>>::type>;

}  // namespace

template <class T>
void ExactSum<T>::add(std::span<const T> values) {
  using Bins = BinsOf<T>;
  const Part part{positive_, negative_, specials_};
  Bins bins;
  count_ += values.size();
  while (!values.empty()) {
    const std::size_t size = std::min(values.size(), Bins::most);
    only_negative_zeros_ &= bins.add(values.first(size), part);
    values = values.subspan(size);
  }
}

template class ExactSum<double>;
template class ExactSum<float>;
template class ExactSum<Coded<Element::f16>>;
template class ExactSum<Coded<Element::bf16>>;
template class ExactSum<Coded<Element::e4m3>>;
template class ExactSum<Coded<Element::e5m2>>;
template class ExactSum<Coded<Element::e2m1>>;
template class ExactSum<std::int8_t>;
template class ExactSum<std::uint8_t>;
template class ExactSum<std::int16_t>;
template class ExactSum<std::uint16_t>;
template class ExactSum<std::int32_t>;
template class ExactSum<std::uint32_t>;
template class ExactSum<std::int64_t>;
template class ExactSum<std::uint64_t>;

}  // namespace foldproof
