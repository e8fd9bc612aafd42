#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "oracles/bounds.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/outcome.h"

namespace foldproof {
namespace {

using Integer = Dyadic::Integer;

constexpr unsigned kept_bits = 512;

/// The product of finite numbers, enclosed by two dyadics, and the facts that determine its rounding.
class ExactProduct {
 public:
  void multiply(const Number& x) {
    negative_ ^= x.negative;
    if (x.is_nan()) nan_ = true;
    if (x.is_infinite()) infinite_ = true;
    if (x.is_zero()) zero_ = true;
    if (!x.is_finite() || x.is_zero()) return;
    const int trailing = std::countr_zero(x.significand);
    const int width = static_cast<int>(std::bit_width(x.significand)) - trailing;
    const std::int64_t leading = x.exponent + trailing + width - 1;
    // Bounds on every partial product in any order: 2^falls_ <= |partial| <= 2^rises_.
    smallest_exponent_ = std::min(smallest_exponent_, leading);
    rises_ += std::max<std::int64_t>(0, leading + (width > 1 ? 1 : 0));
    falls_ += std::min<std::int64_t>(0, leading);
    lowest_place_ += std::min<std::int64_t>(0, x.exponent + trailing);
    if (width > 1) {
      ++rounding_factors_;
      significant_bits_ += static_cast<std::uint64_t>(width);
    }
    significand_ *= x.significand >> trailing;
    cut_ *= x.significand >> trailing;
    exponent_ += x.exponent + trailing;
    truncate();
  }

  bool nan() const { return nan_ || (zero_ && infinite_); }
  bool infinite() const { return infinite_; }
  bool zero() const { return zero_; }
  bool negative() const { return negative_; }
  std::uint64_t rounding_factors() const { return rounding_factors_; }
  Dyadic low() const { return signed_value(significand_); }
  Dyadic high() const { return signed_value(significand_ + cut_); }

  /// Of the leading bit of the smallest nonzero factor; 0 if all are at least 1.
  std::int64_t smallest_exponent() const { return smallest_exponent_; }
  ProductRange range() const { return {rises_, falls_}; }
  /// Whether every partial product, in any order, that stays in the format's normal range is representable.
  bool is_forced(const FloatFormat& format) const {
    return significant_bits_ <= static_cast<std::uint64_t>(format.precision) &&
           lowest_place_ >= format.lowest_exponent;
  }

 private:
  /// Keeps the leading bits; cut_ exceeds everything that was cut off, in units of the last kept place.
  void truncate() {
    const auto width = boost::multiprecision::msb(significand_) + 1;
    if (width <= kept_bits) return;
    const auto shift = static_cast<unsigned>(width - kept_bits);
    significand_ >>= shift;
    cut_ = (cut_ >> shift) + 2;
    exponent_ += shift;
  }

  Dyadic signed_value(const Integer& magnitude) const {
    if (zero_) return Dyadic{};
    const Dyadic value(magnitude, exponent_);
    return negative_ ? -value : value;
  }

  bool nan_ = false, infinite_ = false, zero_ = false, negative_ = false;
  std::uint64_t rounding_factors_ = 0, significant_bits_ = 0;
  std::int64_t rises_ = 0, falls_ = 0, lowest_place_ = 0, smallest_exponent_ = 0;
  Integer significand_ = 1, cut_ = 0;
  std::int64_t exponent_ = 0;
};

void multiply(ExactProduct& product, Element element, std::span<const std::byte> elements, NanPolicy nan) {
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, elements, i));
    if (!x.is_nan() || nan != NanPolicy::ignore) product.multiply(x);
  }
}

class ProductChecker final : public FoldChecker {
 public:
  explicit ProductChecker(const Arithmetic& arithmetic) : a_(arithmetic) {}

  void append(std::span<const std::byte> elements) override {
    multiply(product_, a_.input, elements, a_.nan);
    bound_ = rounding_bound();
    forced_ = bound_ && product_.is_forced(float_format(a_.accumulator));
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    return check(outcome_of(a_.output, bits));
  }

  CheckResult partials(std::span<const std::byte> outputs) const override {
    ExactProduct folded;
    multiply(folded, a_.output, outputs, NanPolicy::propagate);
    Outcome outcome;
    outcome.single = false;
    outcome.negative = folded.negative();
    if (folded.nan())
      outcome.category = Number::Category::nan;
    else if (folded.infinite())
      outcome.category = Number::Category::infinity;
    else
      outcome.value = folded.low();
    outcome.text = outcome.is_finite() ? to_text(outcome.value) : folded.nan() ? "nan" : "an infinity";
    return check(outcome);
  }

 private:
  Bound rounding_bound() const {
    if (!includes(a_.accumulator, a_.input) || !includes(a_.output, a_.accumulator))
      return Bound::none(
          "products are checked only if every format represents all values of the previous one");
    if (const auto flushed = flush_exponent(a_); flushed && product_.smallest_exponent() < *flushed)
      return Bound::none("a subnormal element may be flushed to zero");
    return product_bound_any_order(product_.rounding_factors(), product_.range(),
                                   float_format(a_.accumulator), product_.high());
  }

  CheckResult check(const Outcome& outcome) const {
    const bool nan = outcome.category == Number::Category::nan;
    if (product_.nan()) return checked_by_category(nan, outcome, "the product is NaN");
    if (!bound_) return anything_goes(bound_.why_not());
    if (product_.infinite())
      return checked_by_category(!nan && !outcome.is_finite() && outcome.negative == product_.negative(),
                                 outcome, "the input contains an infinity and no zero");
    if (!outcome.is_finite())
      return checked_by_category(false, outcome, "no order of multiplication can overflow");
    if (forced_ || product_.zero()) return checked_exactly(outcome, product_.low(), a_.output, "product");
    return check_by_bound(outcome);
  }

  CheckResult check_by_bound(const Outcome& outcome) const {
    const Dyadic uncertainty = abs(product_.high() - product_.low());
    const Dyadic folding = outcome.single ? Dyadic{} : abs(outcome.value) * Dyadic::power_of_two(-400);
    const Dyadic bound = *bound_ + uncertainty + folding;
    if (bound.is_zero()) return checked_exactly(outcome, product_.low(), a_.output, "product");
    return checked_by_bound(outcome, product_.low(), bound, a_.output, "product");
  }

  Arithmetic a_;
  ExactProduct product_;
  Bound bound_ = Dyadic{};
  bool forced_ = false;  ///< no order rounds
};

}  // namespace

std::unique_ptr<FoldChecker> make_product_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input) {
  auto checker = std::make_unique<ProductChecker>(arithmetic);
  checker->append(input);
  return checker;
}

}  // namespace foldproof
