#include "oracles/checkers/moment_bounds.h"

#include "oracles/bounds.h"
#include "oracles/bounds/variance.h"
#include "oracles/checkers/flushing.h"
#include "oracles/dyadic.h"

namespace foldproof {

namespace {

/// An upper bound on the magnitudes.
Dyadic largest_of(const Tally& t) {
  return t.nonzero == 0 ? Dyadic{} : Dyadic::power_of_two(t.highest_place + 1);
}

}  // namespace

Bound mean_bound_of(const Arithmetic& a, const Tally& t) {
  const FloatFormat& format = float_format(a.accumulator);
  const FastMath fast = fast_math_of(a);
  if (a.moment_method == MomentMethod::welford)
    return merged_mean_bound(t.count, largest_of(t), format, fast);
  if (a.moment_method == MomentMethod::shares)
    return mean_of_shares_bound(t.count, t.magnitude(), format, fast);
  if (no_order_rounds(t, format) && keeps_all(a, t))
    return mean_bound(t.count, t.sum(), Dyadic{}, format, fast);
  Bound plain = a.height ? sum_bound_of_height(*a.height, format.precision, t.magnitude())
                         : sum_bound_any_order(t.nonzero, format.precision, t.magnitude());
  if (!plain) return plain;
  return mean_bound(t.count, t.sum(), *plain + flush_loss(a, t, t.magnitude()), format, fast);
}

Bound layer_mean_bound_of(const Arithmetic& a, const Tally& t) {
  const Bound plain = mean_bound_of(a, t);
  if (a.moment_method == MomentMethod::two_pass || a.moment_method == MomentMethod::textbook || !plain)
    return plain;
  // Also for c + the mean of x - c: its n + 7 roundings are those of values of up to 2X, and less than 16 n.
  const Bound merged =
      merged_mean_bound(t.count, largest_of(t), float_format(a.accumulator), fast_math_of(a));
  return merged ? Bound(larger(*plain, *merged)) : merged;
}

Bound square_sum_bound_of(const Arithmetic& a, const Tally& squares) {
  const FloatFormat& format = float_format(a.accumulator);
  const Dyadic sum = squares.positive, lost = flush_threshold(a) * flush_threshold(a);
  return a.flush_to_zero ? dot_bound_with_flush(squares.nonzero, format, sum, whole(squares.nonzero) * lost)
                         : dot_bound_any_order(squares.nonzero, squares.nonzero, format, sum);
}

bool may_spread_infinitely(const Arithmetic& a, const Tally& values) {
  const bool merges =
      a.moment_method == MomentMethod::welford || a.moment_method == MomentMethod::unspecified;
  return merges && !values.specials.nan && values.specials.have_infinity();
}

bool lacks_divisor(const Arithmetic& a, const Tally& values) {
  return is_about_deviation(a.op) && a.correction != 0 && values.count <= a.correction;
}

namespace {

Bound population_bound_of(const Arithmetic& a, const Moments& moments, const Tally& values,
                          const FloatFormat& format) {
  const Dyadic largest = largest_of(values);
  const FastMath fast = fast_math_of(a);
  const auto bound_of = [&](MomentMethod method) -> Bound {
    switch (method) {
      case MomentMethod::welford: return merged_variance_bound(moments, largest, format, fast);
      case MomentMethod::shifted: return shifted_variance_bound(values.count, largest, format, fast);
      case MomentMethod::textbook: return textbook_variance_bound(moments, format, fast);
      default: return two_pass_variance_bound(moments, format, fast);
    }
  };
  if (a.moment_method != MomentMethod::unspecified) return bound_of(a.moment_method);
  Dyadic widest;
  for (const MomentMethod method :
       {MomentMethod::two_pass, MomentMethod::textbook, MomentMethod::shifted, MomentMethod::welford}) {
    Bound bound = bound_of(method);
    if (!bound) return Bound::none(bound.why_not() + ", unless the contract specifies the method");
    widest = larger(widest, *bound);
  }
  return widest;
}

}  // namespace

Bound variance_bound_of(const Arithmetic& a, const Tally& values, const Tally& squares) {
  const FloatFormat& format = float_format(a.accumulator);
  // No intermediate square, sum or difference is larger.
  if (whole(4 * values.count) * squares.positive > largest_finite(format))
    return Bound::none("the sums may overflow");
  const Moments moments{values.count, values.sum(), values.magnitude(), squares.positive};
  Bound population = population_bound_of(a, moments, values, format);
  return population && a.correction != 0
             ? sample_variance_bound(moments, *population, format, fast_math_of(a))
             : population;
}

}  // namespace foldproof
