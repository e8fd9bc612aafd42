#include "oracles/bounds/exponential.h"

#include "oracles/dyadic.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {
namespace {

constexpr unsigned working_bits = 160;

constexpr const char* sum_too_uncertain =
    "the error of the sum of exponentials may be as large as the sum, so its logarithm or reciprocal is "
    "unbounded";

/// Relative error of the sum, rounded up.
Bound relative_error(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                     const ExponentialErrors& errors) {
  Bound error = exponential_sum_bound(sums, height, format, errors);
  if (!error) return error;
  const Dyadic relative = quotient(*error, sums.sum_low, working_bits).high;
  if (relative >= whole(1)) return Bound::none(sum_too_uncertain);
  return relative;
}

bool has_at_most(int bits, const Dyadic& x) {
  const Dyadic::Integer digits = abs(x.significand());
  return digits.is_zero() || msb(digits) - lsb(digits) < static_cast<unsigned>(bits);
}

}  // namespace

Dyadic drift_factor(const Dyadic& gap, int precision, Difference difference) {
  if (difference == Difference::exact_if_possible && has_at_most(precision, gap)) return whole(1);
  const Dyadic drift = unit_roundoff(precision) * gap, one = whole(1);
  if (drift >= Dyadic::power_of_two(10)) return exponential(Dyadic::power_of_two(10), working_bits).high;
  // e^d <= 1 + d + d^2 up to 1.
  return drift > one ? exponential(drift, working_bits).high
                     : one + drift + rounded_up(drift * drift, working_bits);
}

Bound exponential_sum_bound(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                            const ExponentialErrors& errors) {
  Bound relative = growth(height, format.precision);
  if (!relative) return relative;
  const Dyadic grown = whole(1) + *relative;
  const Dyadic largest = sums.inflated * (whole(1) + errors.exp_relative) + sums.weighted * errors.exp_slope;
  return largest * grown - sums.sum_low + sums.count * errors.exp_absolute * grown;
}

Bound log_sum_exp_bound(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                        const ExponentialErrors& errors, const Dyadic& result) {
  const Dyadic u = unit_roundoff(format.precision), one = whole(1);
  if (u < smallest_normal(format))
    return Bound::none("logarithms near 0 may underflow in a format with so few exponents");
  Bound relative = relative_error(sums, height, format, errors);
  if (!relative) return relative;
  const Dyadic of_sum = -logarithm(one - *relative, working_bits).low;  // |ln(computed S / S)|
  const Dyadic of_log = errors.log_relative * logarithm(sums.sum_high, working_bits).high;
  return (one + u) * (of_sum * (one + errors.log_relative) + of_log + errors.log_absolute) + u * abs(result);
}

SoftmaxBounds::SoftmaxBounds(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                             const ExponentialErrors& errors, Difference difference, std::uint64_t roundings,
                             bool flush)
    : relative_(relative_error(sums, height, format, errors)),
      errors_(errors),
      precision_(format.precision),
      difference_(difference) {
  if (!relative_) return;
  const Dyadic one = whole(1), grown = one + *growth(roundings, format.precision);
  const Dyadic least_share = one - *relative_;  // of S
  inflation_ = quotient(grown, least_share, working_bits).high;
  underflow_ = quotient(errors.exp_absolute * grown, sums.sum_low * least_share, working_bits).high;
  last_underflow_ = flush ? smallest_normal(format) : half(smallest_subnormal(format));
}

Bound SoftmaxBounds::of(const Dyadic& probability, const Dyadic& gap) const {
  if (!relative_) return relative_;
  // If the drift is large, exp(-t (1 - u)) is far below the range of every format, and so is the computed
  // value.
  if (unit_roundoff(precision_) * gap >= Dyadic::power_of_two(10))
    return probability + underflow_ + last_underflow_;
  const Dyadic of_exponential = whole(1) + errors_.exp_relative + errors_.exp_slope * gap;
  const Dyadic factor =
      rounded_up(drift_factor(gap, precision_, difference_) * of_exponential * inflation_, working_bits);
  return rounded_up(probability * (factor - whole(1)), working_bits) + underflow_ + last_underflow_;
}

}  // namespace foldproof
