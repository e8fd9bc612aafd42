#include "oracles/checkers/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/bounds.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

std::string text_of(const Outcome& outcome) {
  if (outcome.category == Number::Category::nan) return "nan";
  if (!outcome.is_finite()) return outcome.negative ? "-inf" : "inf";
  return to_text(outcome.value);
}

void measure(CheckResult& check_result, const Dyadic& error, const Dyadic& exact, Element output) {
  check_result.error = upper_double(error);
  check_result.ulps = ratio(error, ulp(output, exact));
}

/// Whether rounding some number in `written` to the output can give this non-finite outcome.
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

std::array<std::uint64_t, 2> conversions(const Number& number, Element output) {
  const std::uint64_t nearest = encode(output, number);
  if (size_of(output) != 1 || !is_float(output)) return {nearest, nearest};
  return {nearest, encode(output, number, RoundingMode::nearest_even, Saturation::to_largest)};
}

bool is_saturated(const Outcome& outcome, Element output, bool negative) {
  if (size_of(output) != 1 || !is_float(output) || !outcome.is_finite()) return false;
  return outcome.value.is_negative() == negative && abs(outcome.value) >= largest_finite(output);
}

bool is_infinity(const Outcome& outcome, Element output, bool negative) {
  return (outcome.category == Number::Category::infinity && outcome.negative == negative) ||
         is_saturated(outcome, output, negative);
}

bool overflows_to_nan(const Arithmetic& arithmetic) {
  return !float_format(arithmetic.output).has_infinity || !float_format(arithmetic.accumulator).has_infinity;
}

CheckResult checked_by_category(bool ok, const Outcome& outcome, std::string_view although) {
  return decided(
      ok, [&] { return fmt::format("the result is {} although {}", outcome.text, although); },
      CheckResult::Evidence::category);
}

CheckResult checked_by_bound(const Outcome& outcome, const Dyadic& exact, const Dyadic& bound, Element output,
                             std::string_view what) {
  const Dyadic error = abs(outcome.value - exact);
  CheckResult check_result;
  check_result.evidence = CheckResult::Evidence::bound;
  check_result.ok = error <= bound;
  measure(check_result, error, exact, output);
  check_result.bound = upper_double(bound);
  check_result.error_over_bound = ratio(error, bound);
  check_result.bounded = BoundedResult{nearest_double(outcome.value), nearest_double(exact),
                                       *check_result.error, *check_result.bound};
  check_result.vacuous = bound >= abs(exact);
  if (!check_result.ok)
    check_result.sentence = fmt::format(
        "the result is {} but the exact {} is {}: the error of {:.3g} ulp is {:.3g} times the rounding error "
        "bound",
        outcome.text, what, to_text(exact), *check_result.ulps, *check_result.error_over_bound);
  return check_result;
}

CheckResult checked_exactly(const Outcome& outcome, const Dyadic& expected, Element output,
                            std::string_view what, std::string_view why) {
  CheckResult check_result = decided(outcome.value == expected, [&] {
    return fmt::format("the result is {} but the {} is {}, and {}", outcome.text, what, to_text(expected),
                       why);
  });
  measure(check_result, abs(outcome.value - expected), expected, output);
  return check_result;
}

CheckResult checked_by_reference(const Outcome& outcome, const Reference& exact, const Bound& bound,
                                 const Arithmetic& arithmetic, std::string_view what) {
  const auto is = [&](Number::Category category) { return outcome.category == category; };
  if (exact.category() == Number::Category::nan)
    return checked_by_category(is(Number::Category::nan), outcome, fmt::format("the {} is NaN", what));
  if (exact.category() == Number::Category::infinity)
    return checked_by_category(is_infinity(outcome, arithmetic.output, exact.negative()) ||
                                   (is(Number::Category::nan) && overflows_to_nan(arithmetic)),
                               outcome, fmt::format("the {} is {}", what, exact.negative() ? "-inf" : "inf"));
  return checked_by_enclosure(outcome, exact.enclosure(), bound, arithmetic, what);
}

CheckResult checked_by_enclosure(const Outcome& outcome, const Enclosure& exact, const Bound& bound,
                                 const Arithmetic& arithmetic, std::string_view what) {
  if (!bound) return anything_goes(bound.why_not());
  const Dyadic magnitude = largest_magnitude(exact);
  const Dyadic uncertain = *bound + (exact.high - exact.low);
  if (!outcome.is_finite())
    return checked_by_category(
        is_overflow(outcome, {exact.low - uncertain, exact.high + uncertain}, arithmetic), outcome,
        fmt::format("the {} is {}", what, to_text(exact.low)));
  for (const bool negative : {false, true})
    if (is_saturated(outcome, arithmetic.output, negative) &&
        (negative ? -exact.low : exact.high) + uncertain >= overflow_threshold(arithmetic.output))
      return checked_by_category(true, outcome, "");
  const bool rounded = !includes(arithmetic.output, arithmetic.accumulator);
  const Dyadic all =
      (rounded ? *output_bound(magnitude, uncertain, float_format(arithmetic.output)) : uncertain) +
      output_flush_loss(arithmetic, 1);
  if (all.is_zero()) return checked_exactly(outcome, exact.low, arithmetic.output, what);
  return checked_by_bound(outcome, exact.low, all, arithmetic.output, what);
}

CheckResult checked_converted_parts(const Outcome& outcome, const Tally& terms, const Dyadic& bound,
                                    const Arithmetic& arithmetic, std::string_view what) {
  const Dyadic reached = terms.magnitude() + bound;
  if (reached >= overflow_threshold(arithmetic.output))
    return anything_goes("a partial result may overflow the output");
  const Dyadic all = bound + conversion_bound(terms.nonzero, float_format(arithmetic.output), reached) +
                     output_flush_loss(arithmetic, terms.nonzero);
  if (!outcome.is_finite()) return checked_by_category(false, outcome, "no partial result can overflow");
  if (all.is_zero()) return checked_exactly(outcome, terms.sum(), arithmetic.output, what);
  return checked_by_bound(outcome, terms.sum(), all, arithmetic.output, what);
}

CheckResult anything_goes(std::string why) {
  CheckResult check_result;
  check_result.evidence = CheckResult::Evidence::nothing;
  check_result.why_not = std::move(why);
  return check_result;
}

}  // namespace foldproof
