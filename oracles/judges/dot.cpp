#include <fmt/format.h>

#include "oracles/bounds.h"
#include "oracles/bounds/arithmetic.h"
#include "oracles/code_bits.h"
#include "oracles/judges/judges.h"
#include "oracles/judges/outcome.h"
#include "oracles/judges/wrapping.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// Of integers, modulo 2^w.
class WrappingDotJudge final : public Judge {
 public:
  WrappingDotJudge(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& second)
      : a_(arithmetic) {
    for (std::size_t i = 0; i < second.size(); ++i)
      exact_ += extended(a_.input, load(a_.input, input, i)) * extended(second.type, second.bits(i));
    exact_ = extended(a_.accumulator, exact_ & code_mask(a_.accumulator)) & code_mask(a_.output);
  }

  Judgement element(std::size_t, std::uint64_t bits) const override {
    Judgement judgement;
    judgement.ok = bits == exact_;
    if (!judgement.ok)
      judgement.sentence = fmt::format("the result is {} but the dot product is {}", to_text(a_.output, bits),
                                       to_text(a_.output, exact_));
    return judgement;
  }

 private:
  Arithmetic a_;
  std::uint64_t exact_ = 0;
};

class DotJudge final : public Judge {
 public:
  DotJudge(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& second)
      : a_(arithmetic), products_(tally_products(arithmetic.input, input, second.values)), bound_(bound()) {
    const std::size_t count = second.size();
    for (std::size_t i = 0; i < count; ++i)
      holds_nan_ |= decode(a_.input, load(a_.input, input, i)).is_nan() || second.number(i).is_nan();
  }

  Judgement element(std::size_t, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    if (holds_nan_ && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not say what a NaN does");
    if (products_.specials.give_nan())
      return judged_by_category(outcome.category == Number::Category::nan, outcome,
                                holds_nan_ ? "the input holds a NaN" : "the products give NaN");
    if (products_.specials.have_infinity()) return judge_infinite(outcome);
    return judged_by_reference(outcome, Reference::exactly(products_.sum()), bound_, a_, "dot product");
  }

 private:
  Bound bound() const {
    const FloatFormat& format = float_format(a_.accumulator);
    if (products_.magnitude() * Dyadic(2, 0) > largest_finite(format))
      return Bound::none("the sum of products may overflow");
    if (no_order_rounds(products_, format, a_.flush_to_zero)) return Dyadic{};
    if (a_.flush_to_zero)  // for all that a tally knows, every product may be lost
      return dot_bound_with_flush(products_.nonzero, format, products_.magnitude(), lost());
    return dot_bound_any_order(products_.nonzero, products_.nonzero, format, products_.magnitude());
  }

  /// A product with a subnormal factor is less than the other factor's largest value times the least normal.
  Dyadic lost() const {
    const FloatFormat& format = float_format(a_.accumulator);
    return larger(products_.magnitude(), whole(products_.nonzero) * smallest_normal(format));
  }

  /// The finite products may overflow to the other side of the infinity.
  Judgement judge_infinite(const Outcome& outcome) const {
    const bool negative = products_.specials.negative_infinity;
    const Dyadic& other = negative ? products_.positive : products_.negative;
    const bool cancels = other * Dyadic(2, 0) > largest_finite(a_.accumulator) || overflows_to_nan(a_);
    const bool nan = outcome.category == Number::Category::nan;
    return judged_by_category(
        (nan && cancels) || (outcome.category == Number::Category::infinity && outcome.negative == negative),
        outcome, negative ? "a product is -inf" : "a product is inf");
  }

  Arithmetic a_;
  Tally products_;
  Bound bound_;
  bool holds_nan_ = false;
};

}  // namespace

std::unique_ptr<Judge> make_dot_judge(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                      const Operand& second) {
  if (!is_float(arithmetic.accumulator)) return std::make_unique<WrappingDotJudge>(arithmetic, input, second);
  return std::make_unique<DotJudge>(arithmetic, input, second);
}

}  // namespace foldproof
