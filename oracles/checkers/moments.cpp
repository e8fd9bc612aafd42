#include "oracles/references/moments.h"

#include "oracles/bounds.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/moment_bounds.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

Reference reference_of(const Arithmetic& a, std::span<const std::byte> input) {
  if (a.op == Operator::mean) return mean(a.input, input);
  if (a.op == Operator::norm) return norm(a.input, input);
  return variance(a.input, input, a.correction);
}

/// `values`: each nonzero one may be subnormal.
Bound plain_norm_bound(const Arithmetic& a, const Tally& squares, const Tally& values) {
  const FloatFormat& format = float_format(a.accumulator);
  const Dyadic& sum = squares.positive;
  const Dyadic root_error = whole(a.approximates ? 2 : 1) * unit_roundoff(format.precision);
  if (no_order_rounds(squares, format) && keeps_all(a, squares) && keeps_all(a, values))
    return norm_bound(sum, Dyadic{}, format, root_error);
  const Bound bound = square_sum_bound_of(a, squares);
  if (!bound) return bound;
  if (sum + *bound > largest_finite(format)) return Bound::none("the sum of squares may overflow");
  return norm_bound(sum, *bound, format, root_error);
}

/// If the contract does not name the method, the larger of both bounds.
Bound norm_bound_of(const Arithmetic& a, const Tally& squares, const Tally& values) {
  Bound plain =
      a.moment_method == MomentMethod::scaled ? Bound(Dyadic{}) : plain_norm_bound(a, squares, values);
  if (a.moment_method == MomentMethod::plain || !plain) return plain;
  if (a.approximates)
    return Bound::none(
        "no bound is known for a scaled norm by approximate divisions; specify method = \"plain\"");
  const FloatFormat& format = float_format(a.accumulator);
  Bound scaled = scaled_norm_bound(values.nonzero, squares.positive, format);
  if (!scaled) return scaled;
  const Dyadic flushed = keeps_all(a, values) ? Dyadic{} : whole(values.nonzero) * flush_threshold(a);
  return larger(*plain, *scaled + flushed);
}

/// `values`: the tally of the input.
Bound bound_of(const Arithmetic& a, const Tally& values, std::span<const std::byte> input) {
  if (!includes(a.accumulator, a.input))
    return Bound::none("an element may be rounded when it is converted to the accumulator's type");
  if (values.finite != values.count) return Bound::none("not all elements are finite");
  if (values.count == 0 && a.op != Operator::norm) return Bound::none("there are no elements");
  if (a.op == Operator::mean) {
    if (values.magnitude() * Dyadic(2, 0) > largest_finite(a.accumulator))
      return Bound::none("the sum may overflow");
    return mean_bound_of(a, values);
  }
  const Tally squares = tally_products(a.input, input, input);
  return a.op == Operator::norm ? norm_bound_of(a, squares, values) : variance_bound_of(a, values, squares);
}

class MomentChecker final : public Checker {
 public:
  MomentChecker(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic),
        values_(tally(arithmetic.input, input)),
        exact_(reference_of(arithmetic, input)),
        bound_(bound_of(arithmetic, values_, input)) {}

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    if (values_.specials.nan && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (lacks_divisor(a_, values_)) return anything_goes(why_undefined);
    const Outcome outcome = outcome_of(a_.output, bits);
    if (outcome.category == Number::Category::nan && may_cancel_infinity())
      return anything_goes("the finite elements may overflow to the opposite infinity");
    if (spread_is_infinite(outcome))
      return checked_by_category(true, outcome, "the spread of the elements is infinite");
    return checked_by_reference(outcome, exact_, bound_, a_, info(a_.op).name);
  }

 private:
  /// Merging parts gives an infinite variance for an infinite element where the other methods subtract it
  /// from itself; and 0 if that is the only element, since a part of one element has no spread.
  bool spread_is_infinite(const Outcome& outcome) const {
    if (a_.op == Operator::mean || a_.op == Operator::norm || !may_spread_infinitely(a_, values_))
      return false;
    return is_infinity(outcome, a_.output, false) ||
           (values_.count == 1 && outcome.category == Number::Category::finite && outcome.value.is_zero());
  }

  bool may_cancel_infinity() const {
    if (a_.op != Operator::mean || exact_.category() != Number::Category::infinity) return false;
    if (a_.moment_method == MomentMethod::welford)
      return true;  // Welford's recurrence subtracts it from itself
    return (exact_.negative() ? values_.positive : values_.negative) * whole(2) >
           largest_finite(a_.accumulator);
  }

  Arithmetic a_;
  Tally values_;
  Reference exact_;
  Bound bound_;  ///< before the output is rounded
};

}  // namespace

std::unique_ptr<Checker> make_moment_checker(const Arithmetic& arithmetic, std::span<const std::byte> input) {
  return std::make_unique<MomentChecker>(arithmetic, input);
}

}  // namespace foldproof
