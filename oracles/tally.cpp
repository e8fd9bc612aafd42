#include "oracles/tally.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "oracles/long_accumulator.h"

namespace foldproof {
namespace {

/// A value to add, of as many bits as a product of two elements has.
struct Term {
  Number::Category category = Number::Category::finite;
  bool negative = false;
  Wide significand = 0;
  int exponent = 0;
};

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
  /// Of terms that are products of `factors` elements.
  Collector(Element element, int factors) : positive_(element, factors), negative_(positive_) {}

  void add(const Term& term) {
    ++tally_.count;
    tally_.specials.add(term.category, term.negative);
    if (term.category != Number::Category::finite) return;
    if (term.significand == 0) {
      tally_.negative_zeros += term.negative ? 1 : 0;
      return;
    }
    ++tally_.nonzero;
    (term.negative ? negative_ : positive_).add(term.significand, term.exponent);
    const int trailing = trailing_zeros_of(term.significand), width = width_of(term.significand);
    lowest_ = std::min<std::int64_t>(lowest_, term.exponent + trailing);
    highest_ = std::max<std::int64_t>(highest_, term.exponent + width - 1);
    tally_.widest = std::max(tally_.widest, width - trailing);
  }

  Tally result() {
    tally_.positive = positive_.total();
    tally_.negative = negative_.total();
    if (tally_.nonzero != 0) {
      tally_.lowest_place = lowest_;
      tally_.highest_place = highest_;
    }
    return std::move(tally_);
  }

 private:
  LongAccumulator positive_, negative_;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_ = std::numeric_limits<std::int64_t>::min();
  Tally tally_;
};

Term term_of(const Number& x) { return {x.category, x.negative, x.significand, x.exponent}; }

// As IEEE 754 has it: infinity times zero is NaN.
Term product(const Number& a, const Number& b) {
  using Category = Number::Category;
  Term term;
  term.negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite())) {
    term.category = Category::nan;
  } else if (a.is_infinite() || b.is_infinite()) {
    term.category = Category::infinity;
  } else if (!a.is_zero() && !b.is_zero()) {
    term.significand = Wide{a.significand} * b.significand;
    term.exponent = a.exponent + b.exponent;
  }
  return term;
}

}  // namespace

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
