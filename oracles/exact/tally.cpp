#include "oracles/tally.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "oracles/exact_sum.h"

namespace foldproof {
namespace {

constexpr unsigned word_bits = 64;

int width_of(Wide x) {
  const auto high = static_cast<std::uint64_t>(x >> word_bits);
  return high != 0 ? static_cast<int>(word_bits + std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
}

int trailing_zeros_of(Wide x) {
  const auto low = static_cast<std::uint64_t>(x);
  return low != 0
             ? std::countr_zero(low)
             : static_cast<int>(word_bits) + std::countr_zero(static_cast<std::uint64_t>(x >> word_bits));
}

class Collector {
 public:
  /// For terms that are products of `factors` elements.
  Collector(Element element, int factors) : total_(element, factors) {}

  void add(const Term& term) {
    total_.add_term(term);
    tally_.finite += term.is_finite() ? 1 : 0;
    tally_.negative_zeros += term.is_zero() && term.negative ? 1 : 0;
    if (!term.is_finite() || term.is_zero()) return;
    ++tally_.nonzero;
    const int trailing = trailing_zeros_of(term.significand), width = width_of(term.significand);
    lowest_ = std::min<std::int64_t>(lowest_, term.exponent + trailing);
    highest_ = std::max<std::int64_t>(highest_, term.exponent + width - 1);
    tally_.widest = std::max(tally_.widest, width - trailing);
  }

  Tally result() {
    tally_.count = total_.count();
    tally_.specials = total_.specials();
    tally_.positive = total_.positive();
    tally_.negative = total_.negative();
    if (tally_.nonzero != 0) {
      tally_.lowest_place = lowest_;
      tally_.highest_place = highest_;
    }
    return std::move(tally_);
  }

 private:
  ExactTotal total_;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_ = std::numeric_limits<std::int64_t>::min();
  Tally tally_;
};

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  const bool only_other = nonzero == 0, only_this = other.nonzero == 0;
  if (!only_this) {
    lowest_place = only_other ? other.lowest_place : std::min(lowest_place, other.lowest_place);
    highest_place = only_other ? other.highest_place : std::max(highest_place, other.highest_place);
    widest = std::max(widest, other.widest);
  }
  count += other.count;
  finite += other.finite;
  negative_zeros += other.negative_zeros;
  specials.merge(other.specials);
  nonzero += other.nonzero;
  positive = positive + other.positive;
  negative = negative + other.negative;
  return *this;
}

bool no_order_rounds(const Tally& terms, const FloatFormat& format) {
  if (terms.nonzero == 0) return true;
  if (terms.lowest_place < format.lowest_exponent) return false;
  const Dyadic magnitude = terms.magnitude();
  return magnitude <= Dyadic::power_of_two(format.precision + terms.lowest_place) &&
         magnitude <= largest_finite(format);
}

Tally tally(Element element, std::span<const std::byte> elements) {
  Collector collector(element, 1);
  const std::size_t count = elements.size() / size_of(element);
  for (std::size_t i = 0; i < count; ++i) collector.add(term_of(decode(element, load(element, elements, i))));
  return collector.result();
}

Tally tally_products(Element element, std::span<const std::byte> a, std::span<const std::byte> b) {
  Collector collector(element, 2);
  const std::size_t count = std::min(a.size(), b.size()) / size_of(element);
  for (std::size_t i = 0; i < count; ++i)
    collector.add(product(decode(element, load(element, a, i)), decode(element, load(element, b, i))));
  return collector.result();
}

}  // namespace foldproof
