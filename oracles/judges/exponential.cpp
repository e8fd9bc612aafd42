#include "oracles/references/exponential.h"

#include <algorithm>

#include "oracles/bounds/arithmetic.h"
#include "oracles/judges/judges.h"
#include "oracles/judges/outcome.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// What the CUDA C++ Programming Guide's tables of maximum errors say, at least: expf 2 ulp, logf 1, exp and
/// log of f64 1, __expf 2 + 1.173 |x| ulp, of which only |x| up to 104 give anything. An ulp is at most
/// 2^(1-p) of its number. Below the smallest normal number the hardware's exp2 gives zero. Nothing of
/// __logf, whose error is absolute around 1.
std::optional<ExponentialErrors> errors_of(const Arithmetic& a) {
  const FloatFormat& format = float_format(a.accumulator);
  const Dyadic ulp = whole(2) * unit_roundoff(format.precision), two_ulps = whole(2) * ulp;
  if (a.functions == MathFunctions::library)
    return ExponentialErrors{two_ulps, smallest_normal(format), two_ulps};
  if (a.op == Operator::log_sum_exp || a.accumulator != Element::f32) return std::nullopt;
  return ExponentialErrors{whole(128) * ulp, smallest_normal(format), two_ulps};
}

class ExponentialJudge final : public Judge {
 public:
  ExponentialJudge(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic), errors_(errors_of(arithmetic)) {
    const Tally t = tally(a_.input, input);
    spoiled_ = t.specials.nan || t.specials.positive_infinity;
    masked_ = t.finite == 0;
    const unsigned bits = a_.accumulator == Element::f64 ? 128 : 64;
    if (spoiled_ || masked_) return;
    const FloatFormat& format = float_format(a_.accumulator);
    exact_.emplace(a_.input, input, format.precision, bits);
    constexpr std::uint64_t roundings = 2;  // a division has one, a product with the reciprocal two
    if (errors_) bounds_.emplace(exact_->sums(), height(), format, *errors_, roundings, true);
  }

  Judgement element(std::size_t index, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    if (spoiled_) return judge_spoiled(outcome);
    if (masked_) return judge_masked(outcome);
    if (a_.op == Operator::log_sum_exp) return judge_logarithm(outcome);
    // e^-inf is 0 in every arithmetic.
    if (!exact_->gap(index)) return judged_by_enclosure(outcome, Dyadic{}, Dyadic{}, a_, "softmax");
    const Enclosure share = exact_->share(index);
    return judged_by_enclosure(outcome, share,
                               bounds_ ? bounds_->of(share.high, *exact_->gap(index)) : unknown_errors(), a_,
                               "softmax");
  }

 private:
  /// The input holds NaN or +inf.
  Judgement judge_spoiled(const Outcome& outcome) const {
    if (a_.nan != NanPolicy::propagate) return anything_goes();
    const bool infinite = a_.op == Operator::log_sum_exp && outcome.category == Number::Category::infinity;
    return judged_by_category(outcome.category == Number::Category::nan || infinite, outcome,
                              "the input holds a NaN or an infinity");
  }

  /// The input holds nothing but -inf, or nothing at all.
  Judgement judge_masked(const Outcome& outcome) const {
    const bool nan = outcome.category == Number::Category::nan;
    const bool zero = a_.op == Operator::softmax
                          ? outcome.is_finite() && outcome.value.is_zero()
                          : outcome.category == Number::Category::infinity && outcome.negative;
    const bool ok = a_.masked == Masked::zero ? zero : a_.masked == Masked::nan ? nan : zero || nan;
    return judged_by_category(ok, outcome, "the input holds nothing but minus infinities");
  }

  Judgement judge_logarithm(const Outcome& outcome) const {
    const Enclosure exact = exact_->logarithm_of_sum();
    const Dyadic magnitude = std::max(abs(exact.low), abs(exact.high));
    const Bound bound = errors_ ? log_sum_exp_bound(exact_->sums(), height(), float_format(a_.accumulator),
                                                    *errors_, magnitude)
                                : unknown_errors();
    return judged_by_enclosure(outcome, exact, bound, a_, "log-sum-exp");
  }

  static Bound unknown_errors() { return Bound::none("the errors of the functions are not relative ones"); }
  std::uint64_t height() const { return a_.height.value_or(exact_->sums().count); }

  Arithmetic a_;
  std::optional<ExponentialErrors> errors_;
  bool spoiled_, masked_;
  std::optional<ExactExponentials> exact_;  ///< absent where either
  std::optional<SoftmaxBounds> bounds_;
};

}  // namespace

std::unique_ptr<Judge> make_exponential_judge(const Arithmetic& arithmetic,
                                              std::span<const std::byte> input) {
  return std::make_unique<ExponentialJudge>(arithmetic, input);
}

}  // namespace foldproof
