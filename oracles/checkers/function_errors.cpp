#include "oracles/checkers/function_errors.h"

#include "oracles/bounds.h"

namespace foldproof {
namespace {

/// Below -deepest(), the exponential of x - m is zero in the format, which is f32 or f64.
std::uint64_t deepest(const FloatFormat& format) { return format.precision > 24 ? 746 : 104; }

}  // namespace

// Library functions: no less than the maximum errors in the CUDA C++ Programming Guide's tables, which are 2
// ulp for expf, 1 ulp for logf, and 1 ulp for exp and log in f64. An ulp is at most 2^(1-p) of its number.
// Below the smallest normal number the hardware's exp2 returns zero.
//
// Fast functions: the largest error of these, each at most 2 + 1.25 |x - m| + |m| ulp (docs/numerics.md):
//   __expf(x - m): 2 + 1.173 |x - m| ulp
//   exp2f((x - m) log2 e): 2 ulp, and 1.3 u |x - m| for the rounded argument and log2 e
//   exp2f(fma(x, log2 e, -m log2 e)): also |m| u for the rounded m log2 e
//   exp2f(x log2 e - m log2 e): also (|m| + |x - m|) u for the rounded x log2 e
// __logf is off by 3 ulp or, between 1/2 and 2, by 2^-21.41.
ExponentialErrors function_errors(const Arithmetic& a, const Dyadic& max) {
  const FloatFormat& format = float_format(a.accumulator);
  const Dyadic ulp = whole(2) * unit_roundoff(format.precision);
  if (a.functions == MathFunctions::library) return {whole(2) * ulp, smallest_normal(format), whole(2) * ulp};
  const Dyadic per_unit = whole(5) * Dyadic::power_of_two(-2) * ulp, of_max = abs(max) * ulp;
  const Dyadic log_absolute = a.accumulator == Element::f32 ? Dyadic::power_of_two(-21) : Dyadic{};
  const Dyadic relative = whole(2) * ulp + of_max * (whole(1) + of_max);  // e^d <= 1 + d + d^2
  return {relative, smallest_normal(format), whole(3) * ulp, log_absolute, per_unit};
}

Difference difference_in(const Arithmetic& a) {
  const bool rounds_elements = float_format(a.input).precision > float_format(a.accumulator).precision;
  return a.maximum == Maximum::running || rounds_elements ? Difference::always_rounded
                                                          : Difference::exact_if_possible;
}

// A sum taken about an earlier maximum is rescaled at most once for each of the other terms that may raise
// the maximum, by an exponential and a rounded product. The distances between successive maxima add up to
// the distance from the last one, so their roundings drift as a single rounding would. If a factor
// underflows, so may each of the sums.
ExponentialErrors with_scalings(const ExponentialErrors& once, std::uint64_t times,
                                const FloatFormat& format) {
  ExponentialErrors errors = once;
  const Bound roundings = growth(2 * times, format.precision);
  const Dyadic relative = whole(times + 1) * once.exp_relative;
  // With r = (times + 1) e(0) + slope |x - m|, the product of the factors is at most e^r <= 1 + r (1 + r) for
  // r <= 1, which is linear in |x - m| with the largest r for the second one; beyond, exponentials are zero.
  // Otherwise, a value beyond the range of every result.
  // An earlier maximum may be larger in magnitude than the last one, by |x - m|; this matters to fast
  // functions.
  const Dyadic of_earlier =
      once.exp_slope.is_zero() ? Dyadic{} : whole(2 * (times + 1)) * unit_roundoff(format.precision);
  const Dyadic slope = once.exp_slope + of_earlier, largest = relative + slope * whole(deepest(format));
  if (!roundings || largest > whole(1)) {
    errors.exp_relative = Dyadic::power_of_two(2048);
    errors.exp_slope = {};
  } else {
    const Dyadic grown = (whole(1) + largest) * (whole(1) + *roundings);
    errors.exp_relative = relative * grown + *roundings;
    errors.exp_slope = slope * grown;
  }
  errors.exp_absolute = whole(times + 1) * whole(times + 1) * once.exp_absolute;
  return errors;
}

}  // namespace foldproof
