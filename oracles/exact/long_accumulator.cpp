#include "oracles/exact/long_accumulator.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace foldproof {
namespace {

constexpr unsigned digit_bits = 32;
constexpr std::uint64_t digit_mask = (std::uint64_t{1} << digit_bits) - 1;
/// A digit below 2^32 absorbs this many parts below 2^32 before its 64 bits are full.
constexpr std::uint64_t max_additions = digit_mask;

}  // namespace

LongAccumulator::LongAccumulator(Element element, int factors) {
  int exponents = 0;  // from the lowest to the highest
  if (is_float(element)) {
    const FloatFormat& format = float_format(element);
    lowest_ = factors * format.lowest_exponent;
    exponents = factors * (format.highest_exponent - format.lowest_exponent);
  }
  // The widest significand, shifted within a digit, at the highest place, plus 64 bits for the count.
  digits_.resize(static_cast<std::size_t>(exponents) / digit_bits + 1 + 5 + 2);
}

void LongAccumulator::add(std::uint64_t significand, int exponent) {
  assert(exponent >= lowest_);
  add_at(static_cast<unsigned>(exponent - lowest_), significand);
}

void LongAccumulator::add(Wide significand, int exponent) {
  constexpr unsigned half_bits = 64;
  add(static_cast<std::uint64_t>(significand), exponent);
  if (const auto high = static_cast<std::uint64_t>(significand >> half_bits); high != 0)
    add_at(static_cast<unsigned>(exponent - lowest_) + half_bits, high);
}

// Adds significand * 2^place, relative to the lowest place.
void LongAccumulator::add_at(unsigned place, std::uint64_t significand) {
  if (additions_ == max_additions) carry();
  ++additions_;
  const Wide shifted = Wide{significand} << place % digit_bits;
  std::uint64_t* digit = &digits_[place / digit_bits];
  digit[0] += static_cast<std::uint64_t>(shifted) & digit_mask;
  digit[1] += static_cast<std::uint64_t>(shifted >> digit_bits) & digit_mask;
  digit[2] += static_cast<std::uint64_t>(shifted >> 2 * digit_bits);
}

void LongAccumulator::add(const LongAccumulator& other) {
  assert(lowest_ == other.lowest_ && digits_.size() == other.digits_.size());
  LongAccumulator small = other;
  small.carry();
  if (additions_ == max_additions) carry();
  ++additions_;
  std::ranges::transform(digits_, small.digits_, digits_.begin(), std::plus{});
}

void LongAccumulator::carry() {
  std::uint64_t over = 0;
  for (std::uint64_t& digit : digits_) {
    digit += over;
    over = digit >> digit_bits;
    digit &= digit_mask;
  }
  assert(over == 0);
  additions_ = 1;
}

Dyadic LongAccumulator::total() const {
  LongAccumulator small = *this;
  small.carry();
  Dyadic::Integer sum = 0;
  boost::multiprecision::import_bits(sum, small.digits_.begin(), small.digits_.end(), digit_bits, false);
  return {std::move(sum), lowest_};
}

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

}  // namespace foldproof
