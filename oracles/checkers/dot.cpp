#include <fmt/format.h>

#include "oracles/bounds.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/formats.h"
#include "oracles/number.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// Integer dot products, modulo 2^w.
class WrappingDotChecker final : public PartialsChecker {
 public:
  WrappingDotChecker(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& second)
      : a_(arithmetic) {
    for (std::size_t i = 0; i < second.size(); ++i)
      exact_ += extended(a_.input, load(a_.input, input, i)) * extended(second.type, second.bits(i));
    exact_ = extended(a_.accumulator, exact_ & code_mask(a_.accumulator)) & code_mask(a_.output);
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override { return check(bits, exact_); }

  CheckResult partials(std::span<const std::byte> outputs) const override {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < outputs.size() / size_of(a_.output); ++i)
      sum += extended(a_.output, load(a_.output, outputs, i));
    // Parts wrap in the accumulator, so only the bits of its width are certain in their sum.
    const std::uint64_t certain = code_mask(a_.accumulator) & code_mask(a_.output);
    return check(sum & certain, exact_ & certain);
  }

 private:
  CheckResult check(std::uint64_t bits, std::uint64_t exact) const {
    return decided(bits == exact, [&] {
      return fmt::format("the result is {} but the dot product is {}", to_text(a_.output, bits),
                         to_text(a_.output, exact));
    });
  }

  Arithmetic a_;
  std::uint64_t exact_ = 0;
};

class DotChecker final : public PartialsChecker {
 public:
  DotChecker(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& second)
      : a_(arithmetic), products_(tally_products(arithmetic.input, input, second.values)) {
    const std::size_t count = second.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Number x = decode(a_.input, load(a_.input, input, i)), y = second.number(i);
      holds_nan_ |= x.is_nan() || y.is_nan();
      if (!a_.flush_to_zero || (!may_be_flushed(x, a_.input) && !may_be_flushed(y, second.type))) continue;
      if (x.is_finite() && y.is_finite())
        lost_ = lost_ + abs(Dyadic(x) * Dyadic(y));
      else
        may_give_nan_ = true;
    }
    bound_ = bound();
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    return check(outcome_of(a_.output, bits));
  }
  CheckResult partials(std::span<const std::byte> outputs) const override {
    return check(summed(a_.output, outputs));
  }

 private:
  CheckResult check(const Outcome& outcome) const {
    if (holds_nan_ && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (products_.specials.give_nan())
      return checked_by_category(outcome.category == Number::Category::nan, outcome,
                                 holds_nan_ ? "the input contains a NaN" : "the products give NaN");
    if (products_.specials.have_infinity()) return check_infinite(outcome);
    if (!outcome.single && bound_ && !includes(a_.output, a_.accumulator))
      return checked_converted_parts(outcome, products_, *bound_, a_, "dot product");
    return checked_by_reference(outcome, Reference::exactly(products_.sum()), bound_, a_, "dot product");
  }

  Bound bound() const {
    const FloatFormat& format = float_format(a_.accumulator);
    if (products_.magnitude() * Dyadic(2, 0) > largest_finite(format))
      return Bound::none("the sum of products may overflow");
    if (no_order_rounds(products_, format) && keeps_all(a_, products_) && lost_.is_zero()) return Dyadic{};
    if (a_.flush_to_zero)
      return dot_bound_with_flush(products_.nonzero, format, products_.magnitude(), lost_);
    return dot_bound_any_order(products_.nonzero, products_.nonzero, format, products_.magnitude());
  }

  /// Whether the factor is subnormal in its own format or in the accumulator's.
  bool may_be_flushed(const Number& factor, Element type) const {
    if (!factor.is_finite() || factor.is_zero()) return false;
    const Dyadic magnitude = abs(Dyadic(factor));
    return magnitude < smallest_normal(float_format(a_.accumulator)) ||
           magnitude < smallest_normal(float_format(type));
  }

  /// The finite products may overflow towards the opposite infinity.
  CheckResult check_infinite(const Outcome& outcome) const {
    const bool negative = products_.specials.negative_infinity;
    const Dyadic& other = negative ? products_.positive : products_.negative;
    const bool cancels = other * Dyadic(2, 0) > largest_finite(a_.accumulator) || overflows_to_nan(a_);
    const bool nan = outcome.category == Number::Category::nan;
    return checked_by_category(
        (nan && (cancels || may_give_nan_)) || is_infinity(outcome, a_.output, negative), outcome,
        negative ? "a product is -inf" : "a product is inf");
  }

  Arithmetic a_;
  Tally products_;
  Dyadic lost_;  ///< sum of |x y| over products with a subnormal factor, if such factors are flushed
  Bound bound_ = Dyadic{};
  bool holds_nan_ = false;
  bool may_give_nan_ = false;  ///< a subnormal factor of an infinity may be flushed to zero
};

}  // namespace

std::unique_ptr<PartialsChecker> make_dot_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input, const Operand& second) {
  if (!is_float(arithmetic.accumulator))
    return std::make_unique<WrappingDotChecker>(arithmetic, input, second);
  return std::make_unique<DotChecker>(arithmetic, input, second);
}

}  // namespace foldproof
