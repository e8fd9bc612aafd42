#include "oracles/checkers/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/bounds.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

std::string text_of(const Outcome& outcome) {
  if (outcome.category == Number::Category::nan) return "nan";
  if (!outcome.is_finite()) return outcome.negative ? "-inf" : "inf";
  return to_text(outcome.value);
}

void measure(Judgement& judgement, const Dyadic& error, const Dyadic& exact, Element output) {
  judgement.error = upper_double(error);
  judgement.ulps = ratio(error, ulp(output, exact));
}

/// Whether a number between the two, written as output, may have become what is no finite number.
bool is_overflow(const Outcome& outcome, const Enclosure& written, const Arithmetic& a) {
  const Dyadic threshold = overflow_threshold(a.output);
  const bool up = written.high >= threshold, down = -written.low >= threshold;
  if (outcome.category == Number::Category::infinity) return outcome.negative ? down : up;
  return (up || down) && overflows_to_nan(a);
}

}  // namespace

Outcome outcome_of(Element output, std::uint64_t bits) {
  const Number number = decode(output, bits);
  Outcome outcome{number.category, number.negative, {}, true, to_text(output, bits)};
  if (number.is_finite()) outcome.value = Dyadic(number);
  return outcome;
}

Outcome summed(Element output, std::span<const std::byte> outputs) {
  const Tally parts = tally(output, outputs);
  return summed(parts.sum(), parts.specials);
}

Outcome summed(const Dyadic& finite, const Specials& specials) {
  Outcome outcome;
  outcome.single = false;
  if (specials.give_nan())
    outcome.category = Number::Category::nan;
  else if (specials.give_infinity())
    outcome.category = Number::Category::infinity;
  outcome.negative = specials.negative_infinity;
  if (outcome.is_finite()) outcome.value = finite;
  outcome.text = text_of(outcome);
  return outcome;
}

bool overflows_to_nan(const Arithmetic& arithmetic) {
  return !float_format(arithmetic.output).has_infinity || !float_format(arithmetic.accumulator).has_infinity;
}

Judgement judged_by_category(bool ok, const Outcome& outcome, std::string_view although) {
  Judgement judgement;
  judgement.ok = ok;
  judgement.layer = Judgement::Layer::category;
  if (!ok) judgement.sentence = fmt::format("the result is {} although {}", outcome.text, although);
  return judgement;
}

Judgement judged_by_bound(const Outcome& outcome, const Dyadic& exact, const Dyadic& bound, Element output,
                          std::string_view what) {
  const Dyadic error = abs(outcome.value - exact);
  Judgement judgement;
  judgement.layer = Judgement::Layer::bound;
  judgement.ok = error <= bound;
  measure(judgement, error, exact, output);
  judgement.bound = upper_double(bound);
  judgement.error_over_bound = ratio(error, bound);
  judgement.vacuous = bound >= abs(exact);
  if (!judgement.ok)
    judgement.sentence = fmt::format(
        "the result is {} but the exact {} is {}: the error of {:.3g} ulp is {:.3g} times what rounding can "
        "cause",
        outcome.text, what, to_text(exact), *judgement.ulps, *judgement.error_over_bound);
  return judgement;
}

Judgement judged_exactly(const Outcome& outcome, const Dyadic& expected, Element output,
                         std::string_view what) {
  Judgement judgement;
  judgement.layer = Judgement::Layer::exact;
  judgement.ok = outcome.value == expected;
  measure(judgement, abs(outcome.value - expected), expected, output);
  if (!judgement.ok)
    judgement.sentence =
        fmt::format("the result is {} but the {} is {}, and these inputs leave no room for rounding",
                    outcome.text, what, to_text(expected));
  return judgement;
}

Judgement judged_by_reference(const Outcome& outcome, const Reference& exact, const Bound& bound,
                              const Arithmetic& arithmetic, std::string_view what) {
  const auto is = [&](Number::Category category) { return outcome.category == category; };
  if (exact.category() == Number::Category::nan)
    return judged_by_category(is(Number::Category::nan), outcome, fmt::format("the {} is NaN", what));
  if (exact.category() == Number::Category::infinity)
    return judged_by_category((is(Number::Category::infinity) && outcome.negative == exact.negative()) ||
                                  (is(Number::Category::nan) && overflows_to_nan(arithmetic)),
                              outcome, fmt::format("the {} is {}", what, exact.negative() ? "-inf" : "inf"));
  return judged_by_enclosure(outcome, exact.enclosure(), bound, arithmetic, what);
}

Judgement judged_by_enclosure(const Outcome& outcome, const Enclosure& exact, const Bound& bound,
                              const Arithmetic& arithmetic, std::string_view what) {
  if (!bound) return anything_goes(bound.why_not());
  const Dyadic magnitude = std::max(abs(exact.low), abs(exact.high));
  const Dyadic uncertain = *bound + (exact.high - exact.low);
  if (!outcome.is_finite())
    return judged_by_category(
        is_overflow(outcome, {exact.low - uncertain, exact.high + uncertain}, arithmetic), outcome,
        fmt::format("the {} is {}", what, to_text(exact.low)));
  const bool rounded = !includes(arithmetic.output, arithmetic.accumulator);
  const Dyadic all =
      rounded ? *output_bound(magnitude, uncertain, float_format(arithmetic.output)) : uncertain;
  if (all.is_zero()) return judged_exactly(outcome, exact.low, arithmetic.output, what);
  return judged_by_bound(outcome, exact.low, all, arithmetic.output, what);
}

Judgement anything_goes(std::string why) {
  Judgement judgement;
  judgement.layer = Judgement::Layer::nothing;
  judgement.why_not = std::move(why);
  return judgement;
}

}  // namespace foldproof
