#include "oracles/references/exponential.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/bounds.h"
#include "oracles/bounds/exponential.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/function_errors.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

class ExponentialChecker final : public Checker {
 public:
  ExponentialChecker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                     const std::optional<Operand>& target)
      : a_(arithmetic), is_empty_(input.empty()) {
    if (target) target_ = static_cast<std::size_t>(target->bits(0));
    const Tally t = tally(a_.input, input);
    specials_ = t.specials;
    masked_ = t.finite == 0;
    const unsigned bits = a_.accumulator == Element::f64 ? 128 : 64;
    if (specials_.nan || specials_.positive_infinity || masked_) return;
    const FloatFormat& format = float_format(a_.accumulator);
    exact_.emplace(a_.input, input, format.precision, bits, difference_in(a_));
    errors_ = function_errors(a_, exact_->max());
    if (a_.maximum == Maximum::running) errors_ = with_scalings(errors_, height(), format);
    if (a_.op != Operator::softmax) {
      logarithm_ = exact_->logarithm_of_sum();
      logarithm_bound_ =
          log_sum_exp_bound(exact_->sums(), height(), format, errors_, largest_magnitude(logarithm_));
      return;
    }
    const std::uint64_t roundings = fast_math_of(a_).roundings_of_division();
    bounds_.emplace(exact_->sums(), height(), format, errors_, difference_in(a_), roundings, true);
  }

  CheckResult element(std::size_t index, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    if (specials_.nan || specials_.positive_infinity) return check_spoiled(outcome);
    if (masked_) return check_masked(outcome);
    if (a_.op == Operator::log_sum_exp)
      return check_finite(outcome, logarithm_, logarithm_bound_, "log-sum-exp");
    if (a_.op == Operator::cross_entropy) return check_distance(outcome, target_);
    if (a_.op == Operator::log_softmax) return check_distance(outcome, index);
    // e^-inf is 0 in every arithmetic.
    if (!exact_->gap(index)) return checked_by_enclosure(outcome, Dyadic{}, Dyadic{}, a_, "softmax");
    const Enclosure share = exact_->share(index);
    return check_finite(outcome, share, bounds_->of(share.high, *exact_->gap(index)), "softmax");
  }

 private:
  /// The input contains NaN or +inf.
  CheckResult check_spoiled(const Outcome& outcome) const {
    const bool nan = outcome.category == Number::Category::nan;
    if (specials_.nan) {
      if (a_.nan == NanPolicy::unspecified)
        return anything_goes("the contract does not specify NaN handling");
      return checked_by_category(nan, outcome, "the input contains a NaN");
    }
    // The formula about the maximum evaluates inf - inf; the limits are 1 and 0, their logarithms, or inf.
    const bool is_zero = outcome.is_finite() && outcome.value.is_zero();
    const bool limit = a_.op == Operator::softmax
                           ? is_zero || (outcome.is_finite() && outcome.value == whole(1))
                       : a_.op == Operator::log_softmax ? is_zero || is_infinity(outcome, a_.output, true)
                                                        : is_infinity(outcome, a_.output, false);
    return checked_by_category(nan || limit, outcome, "the input contains an infinity");
  }

  /// The input contains only -inf, or is empty.
  CheckResult check_masked(const Outcome& outcome) const {
    const bool nan = outcome.category == Number::Category::nan;
    if (a_.op == Operator::cross_entropy) {
      if (is_empty_) return anything_goes("an input without elements has no target class");
      return checked_by_category(nan, outcome, "the input contains only -inf");
    }
    const bool zero = a_.op == Operator::softmax ? outcome.is_finite() && outcome.value.is_zero()
                                                 : is_infinity(outcome, a_.output, true);
    const bool ok = a_.masked == Masked::zero ? zero : a_.masked == Masked::is_nan ? nan : zero || nan;
    return checked_by_category(ok, outcome, "the input contains only -inf");
  }

  /// A cross-entropy is the log-sum-exp minus the class's element, or the logarithm of the sum plus the
  /// element's distance from the maximum; a log-softmax is the negative of that.
  CheckResult check_distance(const Outcome& outcome, std::size_t index) const {
    const bool is_negative = a_.op == Operator::log_softmax;
    const std::optional<Dyadic>& gap = exact_->gap(index);
    if (!gap)
      return checked_by_category(
          is_infinity(outcome, a_.output, is_negative), outcome,
          is_negative ? "the element is -inf" : "the element of the target class is -inf");
    const Enclosure distance = logarithm_ - Enclosure(exact_->max() - *gap);
    Bound bound = logarithm_bound_;
    if (bound) {
      // At most three roundings, each of at most twice the largest number on either path.
      const Dyadic reach = largest_magnitude(logarithm_) + abs(exact_->max()) + *gap + *bound;
      bound = *bound + whole(6) * unit_roundoff(float_format(a_.accumulator).precision) * reach;
    }
    return check_finite(outcome, is_negative ? -distance : distance, bound, info(a_.op).name);
  }

  /// Even if no bound is known, a value computed about the maximum is finite.
  CheckResult check_finite(const Outcome& outcome, const Enclosure& exact, const Bound& bound,
                           std::string_view what) const {
    const Dyadic largest = largest_finite(a_.output);
    const bool may_overflow = a_.op != Operator::softmax && (abs(exact_->max()) * whole(2) >= largest ||
                                                             largest_magnitude(exact) >= largest);
    if (!bound && !outcome.is_finite() && !may_overflow)
      return checked_by_category(false, outcome, fmt::format("the {} is {}", what, to_text(exact.low)));
    return checked_by_enclosure(outcome, exact, bound, a_, what);
  }

  std::uint64_t height() const { return a_.height.value_or(exact_->sums().count); }

  Arithmetic a_;
  bool is_empty_;
  std::size_t target_ = 0;  ///< for cross-entropy
  Specials specials_;
  bool masked_ = false;
  ExponentialErrors errors_;
  std::optional<ExactExponentials> exact_;  ///< absent if the input is spoiled or masked
  std::optional<SoftmaxBounds> bounds_;     ///< of a softmax
  Enclosure logarithm_;                     ///< of the sum of all exponentials, for the other operators
  Bound logarithm_bound_ = Bound::none("there is no finite element");
};

}  // namespace

std::unique_ptr<Checker> make_exponential_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input,
                                                  const std::optional<Operand>& target) {
  return std::make_unique<ExponentialChecker>(arithmetic, input, target);
}

}  // namespace foldproof
