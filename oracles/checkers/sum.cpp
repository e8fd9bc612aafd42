#include <fmt/format.h>

#include <algorithm>

#include "oracles/bounds.h"
#include "oracles/bounds/compensated.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/moment_bounds.h"
#include "oracles/checkers/outcome.h"
#include "oracles/sum_checkers.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// Whether every element is representable in the accumulator's format.
bool enters_exactly(const Arithmetic& a, const Tally& t) {
  if (is_float(a.input) && includes(a.accumulator, a.input)) return true;
  const FloatFormat& format = float_format(a.accumulator);
  return t.widest <= format.precision && (t.nonzero == 0 || t.lowest_place >= format.lowest_exponent) &&
         t.highest_place < format.highest_exponent + format.precision - 1;
}

/// How many of Kahan's loops there may be: a loop without elements adds 0, which is exact. A thread may run
/// several, as an unrolled loop does (docs/contracts.md).
std::uint64_t loops_of(const Arithmetic& a, const Tally& t) {
  constexpr std::uint64_t most_loops_of_a_thread = 16;
  const std::uint64_t elements = std::max<std::uint64_t>(t.count, 1);
  return a.threads && *a.threads < elements ? std::min(elements, *a.threads * most_loops_of_a_thread)
                                            : elements;
}

/// For compensated sums of terms that are known to within a total error of `entering`.
Bound careful_bound(const Arithmetic& a, const Tally& t, const Dyadic& entering) {
  if (a.flush_to_zero) return no_bound_if_flushed("compensated sums");
  const int precision = float_format(a.accumulator).precision;
  const Dyadic sum = abs(t.sum()) + entering, magnitude = t.magnitude() + entering;
  Bound bound = a.sum == SumMethod::kahan
                    ? joined_kahan_bound(t.count, loops_of(a, t), precision, sum, magnitude)
                : a.sum == SumMethod::neumaier ? compensated_bound(t.nonzero, precision, sum, magnitude)
                                               : double_float_bound(t.nonzero, precision, sum, magnitude);
  if (!bound) return bound;
  return *bound + entering;
}

/// Rounding error of the accumulator's final value. An exact sum is rounded only when the output is written.
Bound accumulation_bound(const Arithmetic& a, const Tally& t) {
  const FloatFormat& format = float_format(a.accumulator);
  if (no_order_rounds(t, format) && keeps_all(a, t)) return Dyadic{};
  if (a.op == Operator::sum_of_squares) return square_sum_bound_of(a, t);
  if (a.sum == SumMethod::exact) return flush_loss(a, t, t.magnitude());
  Dyadic entering;
  if (!enters_exactly(a, t)) entering = conversion_bound(t.nonzero, format, t.magnitude());
  if (a.sum != SumMethod::plain) return careful_bound(a, t, entering);
  Bound bound =
      a.height
          ? sum_bound_of_approximate_terms(t.nonzero, *a.height, format.precision, t.magnitude(), entering)
          : sum_bound_of_approximate_terms(t.nonzero, format.precision, t.magnitude(), entering);
  if (!bound) return bound;
  return *bound + flush_loss(a, t, t.magnitude() + entering);
}

/// Sums of elements, or of their squares.
class SumChecker final : public TalliedSumChecker {
 public:
  explicit SumChecker(const Arithmetic& arithmetic) : a_(arithmetic) {}

  void append(std::span<const std::byte> elements) override {
    append(squares() ? tally_products(a_.input, elements, elements) : tally(a_.input, elements));
  }
  void append(const Tally& elements) {
    tally_ += elements;
    if (a_.nan == NanPolicy::ignore) tally_.specials.nan = false;
    exact_ = tally_.sum();
    bound_ = accumulation_bound(a_, tally_);
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    return check(outcome_of(a_.output, bits));
  }
  CheckResult partials(std::span<const std::byte> outputs) const override {
    return check(summed(a_.output, outputs));
  }
  CheckResult sum_of_partials(const Dyadic& finite, const Specials& specials) const override {
    return check(summed(finite, specials));
  }

 private:
  bool squares() const { return a_.op == Operator::sum_of_squares; }
  std::string noun() const { return squares() ? "sum of squares" : "sum"; }

  CheckResult check(const Outcome& outcome) const {
    if (tally_.specials.give_nan())
      return checked_by_category(
          outcome.category == Number::Category::nan, outcome,
          tally_.specials.nan ? "the input contains a NaN" : "the input contains infinities of both signs");
    if (!bound_) return anything_goes(bound_.why_not());
    if (tally_.specials.have_infinity()) return check_infinite(outcome);
    return outcome.is_finite() ? check_finite(outcome) : check_overflow(outcome);
  }

  /// The input contains infinities of one sign. The finite elements may first overflow to the other sign.
  CheckResult check_infinite(const Outcome& outcome) const {
    const bool negative = tally_.specials.negative_infinity;
    const bool cancels = overflows_inside(!negative);
    const bool same_sign = outcome.negative == negative;
    bool ok = false;
    switch (outcome.category) {
      case Number::Category::infinity: ok = same_sign; break;
      case Number::Category::nan: ok = cancels || !float_format(a_.output).has_infinity; break;
      case Number::Category::finite: ok = is_saturated(outcome, a_.output, negative); break;
    }
    return checked_by_category(ok, outcome, negative ? "the input contains -inf" : "the input contains inf");
  }

  CheckResult check_overflow(const Outcome& outcome) const {
    const bool up = may_overflow(false, outcome.single), down = may_overflow(true, outcome.single);
    bool ok = outcome.negative ? down : up;
    if (outcome.category == Number::Category::nan)
      ok = (up && down) || (overflows_to_nan(a_) && (up || down));
    return checked_by_category(
        ok, outcome,
        fmt::format("the exact {} is {} and no order of summation overflows", noun(), to_text(exact_)));
  }

  CheckResult check_finite(const Outcome& outcome) const {
    if (bound_->is_zero() && outcome.single) {
      const Number expected = decode(a_.output, rounded(a_.output, exact_));
      if (expected.is_finite()) return check_rounded_once(outcome, Dyadic(expected));
      return checked_by_category(is_saturated(outcome, a_.output, exact_.is_negative()), outcome,
                                 fmt::format("the exact {} {} overflows", noun(), to_text(exact_)));
    }
    constexpr const char* saturated = "an intermediate sum may have saturated";
    if (is_saturated(outcome, a_.output, false) && may_overflow(false, outcome.single))
      return anything_goes(saturated);
    if (is_saturated(outcome, a_.output, true) && may_overflow(true, outcome.single))
      return anything_goes(saturated);
    const Dyadic bound =
        *bound_ + output_rounding(outcome) + output_flush_loss(a_, outcome.single ? 1 : tally_.nonzero);
    if (bound.is_zero()) return checked_exactly(outcome, exact_, a_.output, noun());
    return checked_by_bound(outcome, exact_, bound, a_.output, noun());
  }

  /// `expected`: the exact sum, rounded to the output.
  CheckResult check_rounded_once(const Outcome& outcome, const Dyadic& expected) const {
    const std::string what = expected == exact_ ? noun() : "rounded " + noun();
    if (a_.sum == SumMethod::exact)
      return checked_exactly(outcome, expected, a_.output, what,
                             "the contract claims that the exact sum is rounded once");
    if (expected == exact_) return checked_exactly(outcome, expected, a_.output, what);
    return checked_exactly(outcome, expected, a_.output, what, "only the output is rounded for these inputs");
  }

  /// For one value, half a unit in its last place; for several, at most u of all magnitudes and half the
  /// smallest subnormal each, which stays finite because there is at most one part per element.
  Dyadic output_rounding(const Outcome& outcome) const {
    if (a_.sum != SumMethod::exact && includes(a_.output, a_.accumulator)) return {};
    if (!outcome.single)
      return conversion_bound(tally_.nonzero, float_format(a_.output), tally_.magnitude() + *bound_);
    return half(ulp(a_.output, abs(exact_) + *bound_));
  }

  /// Whether a sum of some of the elements can leave the accumulator's range on that side.
  bool overflows_inside(bool negative) const {
    if (a_.sum == SumMethod::exact) return false;
    const Dyadic& side = negative ? tally_.negative : tally_.positive;
    return side + *bound_ > largest_finite(a_.accumulator);
  }

  bool may_overflow(bool negative, bool single) const {
    if (overflows_inside(negative)) return true;
    const Dyadic& side = negative ? tally_.negative : tally_.positive;
    const Dyadic reached = single ? (negative ? -exact_ : exact_) : side;
    return reached + *bound_ >= overflow_threshold(a_.output);
  }

  Arithmetic a_;
  Tally tally_;
  Dyadic exact_;
  Bound bound_ = Dyadic{};  ///< before the output is rounded
};

}  // namespace

std::unique_ptr<FoldChecker> make_sum_checker(const Arithmetic& arithmetic,
                                              std::span<const std::byte> input) {
  auto checker = std::make_unique<SumChecker>(arithmetic);
  checker->append(input);
  return checker;
}

std::unique_ptr<TalliedSumChecker> make_sum_checker(const Arithmetic& arithmetic, const Tally& tally) {
  auto checker = std::make_unique<SumChecker>(arithmetic);
  checker->append(tally);
  return checker;
}

}  // namespace foldproof
