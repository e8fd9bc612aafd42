#include <vector>

#include "oracles/bounds/normalisation.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/moment_bounds.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/references/normalisation.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

constexpr unsigned deviation_bits = 128;

class DeviationChecker final : public Checker {
 public:
  DeviationChecker(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic), values_(tally(arithmetic.input, input)) {
    const Dyadic epsilon(number_of(a_.epsilon));
    exact_ = is_reciprocal() ? reciprocal_deviation(a_.input, input, epsilon, a_.correction)
                             : deviation(a_.input, input, epsilon, a_.correction);
    if (values_.count > a_.correction && values_.finite == values_.count)
      find_bound(tally_products(a_.input, input, input), epsilon);
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    if (values_.specials.nan && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (lacks_divisor(a_, values_)) return anything_goes(why_undefined);
    const Outcome outcome = outcome_of(a_.output, bits);
    if (spread_may_be_infinite(outcome))
      return checked_by_category(true, outcome, "the spread of the elements is infinite");
    if (may_ignore_infinity(outcome)) return of_single_zero().element(0, bits);
    if (exact_.category() == Number::Category::infinity)
      return anything_goes(
          "the variance and epsilon are 0, so the quotient depends on rounding errors alone");
    return checked_by_reference(outcome, exact_, bound_, a_, info(a_.op).name);
  }

 private:
  bool is_reciprocal() const { return a_.op == Operator::reciprocal_deviation; }

  void find_bound(const Tally& squares, const Dyadic& epsilon) {
    const FloatFormat& format = float_format(a_.accumulator);
    const Bound variance = variance_bound_of(a_, values_, squares);
    if (!variance) {
      bound_ = variance;
      return;
    }
    const Dyadic n = whole(values_.count), scale = n * whole(values_.count - a_.correction),
                 sum = values_.sum();
    const Enclosure square =
        quotient(n * squares.positive - sum * sum, scale, deviation_bits) + Enclosure(epsilon);
    const Dyadic rounding =
        epsilon.is_zero() ? Dyadic{} : unit_roundoff(format.precision) * (square.high + *variance);
    const Known known{square, *variance + rounding + fast_math_of(a_).flushed};
    // CUDA's approximate root of f32 has a relative error of at most 2u.
    bound_ =
        is_reciprocal()
            ? NormalisedBound(known, format, fast_math_of(a_)).of({Enclosure(whole(1)), {}}, whole(1), {})
            : root_bound(known, format, whole(2) * unit_roundoff(format.precision));
  }

  /// Merging parts gives an infinite variance for an infinite element.
  bool spread_may_be_infinite(const Outcome& outcome) const {
    return may_spread_infinitely(a_, values_) &&
           (is_reciprocal() ? outcome.is_finite() && outcome.value.is_zero()
                            : is_infinity(outcome, a_.output, false));
  }

  /// A part of one element has no spread, whatever the element is.
  bool may_ignore_infinity(const Outcome& outcome) const {
    return may_spread_infinitely(a_, values_) && values_.count == 1 &&
           outcome.category != Number::Category::nan;
  }

  DeviationChecker of_single_zero() const { return {a_, std::vector<std::byte>(size_of(a_.input))}; }

  Arithmetic a_;
  Tally values_;
  Reference exact_ = Reference::nan();
  Bound bound_ = Bound::none("not all elements are finite");  ///< before the output is rounded
};

}  // namespace

std::unique_ptr<Checker> make_deviation_checker(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input) {
  return std::make_unique<DeviationChecker>(arithmetic, input);
}

}  // namespace foldproof
