#include "oracles/bounds/variance.h"

#include <fmt/format.h>

#include <bit>

#include "oracles/bounds.h"
#include "oracles/dyadic.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {
namespace {

constexpr unsigned variance_bits = 256;

/// The magnitude of an exact value and the largest error of the computed one; both rounded up.
struct Approximate {
  Dyadic magnitude, error;
};

class Steps {
 public:
  Steps(const Moments& m, const FloatFormat& format)
      : moments_(m),
        format_(format),
        u_(unit_roundoff(format.precision)),
        least_(half(smallest_subnormal(format))) {}

  Approximate sum() const {
    return {abs(moments_.sum), *sum_bound_any_order(moments_.count, format_.precision, moments_.magnitude)};
  }
  Approximate squared(const Approximate& x) const {
    return rounded({x.magnitude * x.magnitude, (whole(2) * x.magnitude + x.error) * x.error});
  }
  /// By a division, or by multiplication with the rounded reciprocal, which has two roundings.
  Approximate divided(const Approximate& x, std::uint64_t by) const {
    return rounded(rounded({over(x.magnitude, by), over(x.error, by)}));
  }
  /// Adds one rounding, with half the smallest subnormal for underflow.
  Approximate rounded(const Approximate& x) const {
    return {x.magnitude, x.error + u_ * (x.magnitude + x.error) + least_};
  }
  Dyadic sum_of_squared_deviations() const {
    const auto square = moments_.sum * moments_.sum;
    return moments_.squares - quotient(square, whole(moments_.count), variance_bits).low;
  }

  static Dyadic over(const Dyadic& x, std::uint64_t n) { return quotient(x, whole(n), variance_bits).high; }

 private:
  const Moments& moments_;
  const FloatFormat& format_;
  Dyadic u_, least_;
};

std::optional<Bound> uncertain_count(std::uint64_t count, const FloatFormat& format) {
  if (format.precision >= 63 || count <= std::uint64_t{1} << format.precision) return std::nullopt;
  return Bound::none(fmt::format("the count {} may not be exact in {} bits", count, format.precision));
}

std::optional<Bound> refused(const Moments& moments, const FloatFormat& format) {
  if (moments.count == 0) return Bound::none("the variance of no values is NaN");
  return uncertain_count(moments.count, format);
}

}  // namespace

Bound mean_bound(std::uint64_t count, const Dyadic& sum, const Dyadic& error, const FloatFormat& format,
                 bool flush) {
  if (count == 0) return Bound::none("the mean of no values is NaN");
  if (const auto none = uncertain_count(count, format)) return *none;
  if (quotient(whole(1), whole(count), variance_bits).low < smallest_normal(format))
    return Bound::none(fmt::format("1 / {} may be subnormal", count));
  const Dyadic growth_of_two = *growth(2, format.precision);
  const Dyadic times_count = error + growth_of_two * (abs(sum) + error);
  return quotient(times_count, whole(count), variance_bits).high +
         (flush ? smallest_normal(format) : half(smallest_subnormal(format)));
}

Bound mean_of_shares_bound(std::uint64_t count, const Dyadic& magnitude, const FloatFormat& format,
                           const Dyadic& flushed) {
  if (count == 0) return Bound::none("the mean of no values is NaN");
  if (const auto none = uncertain_count(count, format)) return *none;
  // Two roundings of each share, half the smallest subnormal if it underflows, then the sum of the shares. An
  // element, its share and a sum to which it is added may each be flushed.
  const Dyadic exact = quotient(magnitude, whole(count), variance_bits).high;
  const Dyadic underflow = half(smallest_subnormal(format)) + whole(3) * flushed;
  const Dyadic errors = *growth(2, format.precision) * exact + count * underflow;
  return sum_bound_of_approximate_terms(count, format.precision, exact, errors);
}

Bound two_pass_variance_bound(const Moments& moments, const FloatFormat& format) {
  if (auto none = refused(moments, format)) return *none;
  const Steps steps(moments, format);
  const Dyadic mean_error = steps.divided(steps.sum(), moments.count).error;
  const Dyadic deviations = steps.sum_of_squared_deviations();
  // About the computed mean, the sum of squared deviations is larger by n times the mean's squared error.
  const Dyadic shift = moments.count * (mean_error * mean_error), about_mean = deviations + shift;
  const Dyadic subtraction = *growth(2, format.precision);  // each difference is rounded, then squared
  const Bound dot =
      dot_bound_any_order(moments.count, moments.count, format, (whole(1) + subtraction) * about_mean);
  return steps.divided({deviations, shift + subtraction * about_mean + *dot}, moments.count).error;
}

namespace {

/// One merge moves the mean by distance * share: three roundings of a value of at most 2X, and one of the new
/// mean; the parts' own errors are averaged. 16 u X covers all of these, including means slightly beyond X.
Bound merged_mean_error(std::uint64_t count, const Dyadic& largest, const FloatFormat& format) {
  if (auto none = uncertain_count(count, format)) return *none;
  const Dyadic relative = 16 * count * unit_roundoff(format.precision);
  if (relative > half(whole(1))) return Bound::none("the number of merges is too large for the precision");
  return relative * largest + count * smallest_subnormal(format);
}

/// Upper bound on the sum of min(a, b) over all merges of parts of a and b elements.
std::uint64_t sum_of_smaller_parts(std::uint64_t count) { return count * (1 + std::bit_width(count)); }

}  // namespace

Bound merged_mean_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format) {
  if (count == 0) return Bound::none("the mean of no values is NaN");
  return merged_mean_error(count, largest, format);
}

Bound merged_variance_bound(const Moments& moments, const Dyadic& largest, const FloatFormat& format) {
  if (auto none = refused(moments, format)) return *none;
  const Bound mean = merged_mean_error(moments.count, largest, format);
  if (!mean) return mean;
  const Steps steps(moments, format);
  const std::uint64_t n = moments.count;
  const Dyadic u = unit_roundoff(format.precision), deviations = steps.sum_of_squared_deviations();
  // Each merge adds w d^2 with w <= min(a, b), where d is the distance of the means, known to within e
  // (`apart`). Over all merges, w (2 |d| e + e^2) sums to 2 e sqrt(W M) + W e^2 (Cauchy-Schwarz), and to
  // twice that if Welford's factors differ.
  const Dyadic apart = whole(2) * *mean + 4 * u * largest, weights = whole(sum_of_smaller_parts(n));
  const Dyadic root = square_root(Enclosure(weights * deviations), variance_bits).high;
  const Dyadic of_distances = whole(4) * apart * root + whole(2) * weights * apart * apart;
  // Eight roundings on a term's path into the sum, and one more for each merge above.
  const Bound rounding = growth(n + 8, format.precision);
  if (!rounding) return rounding;
  const Dyadic error =
      of_distances + *rounding * (deviations + of_distances) + n * smallest_subnormal(format);
  return steps.divided({deviations, error}, n).error;
}

Bound textbook_variance_bound(const Moments& moments, const FloatFormat& format) {
  if (auto none = refused(moments, format)) return *none;
  const Steps steps(moments, format);
  const std::uint64_t n = moments.count;
  const Approximate squares{moments.squares, *dot_bound_any_order(n, n, format, moments.squares)};
  const Dyadic deviations = steps.sum_of_squared_deviations();
  const Approximate of_sum = steps.divided(steps.squared(steps.sum()), n);
  const Dyadic late = steps.divided(steps.rounded({deviations, squares.error + of_sum.error}), n).error;
  const Approximate of_mean = steps.squared(steps.divided(steps.sum(), n));
  const Dyadic early =
      steps.rounded({steps.over(deviations, n), steps.divided(squares, n).error + of_mean.error}).error;
  return std::max(late, early);
}

Bound shifted_variance_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format) {
  const Dyadic u = unit_roundoff(format.precision), reach = whole(2) * largest * (whole(1) + u);
  const Dyadic squares = count * (reach * reach);
  if (count * squares > largest_finite(format)) return Bound::none("the sums of the distances may overflow");
  const Bound textbook = textbook_variance_bound({count, count * reach, count * reach, squares}, format);
  if (!textbook) return textbook;
  // The distances are rounded, which changes the sum of their squared deviations by at most (2 u + u^2) times
  // `squares`; and the rest of the formula rounds a value of up to `squares`, where the bound above takes the
  // exact one: zero, since all distances are the same in it.
  const Dyadic relative = whole(2) * u + u * u + *growth(4, format.precision);
  return *textbook + quotient(relative * squares, whole(count), variance_bits).high;
}

Bound sample_variance_bound(const Moments& moments, const Dyadic& population, const FloatFormat& format) {
  if (moments.count < 2)
    return Bound::none("the variance of a sample of fewer than two values is not defined");
  const Steps steps(moments, format);
  const std::uint64_t n = moments.count, divisor = n - 1;
  // The product with n, or with the rounded n / (n - 1), and the two roundings of the division.
  const Approximate scaled = steps.rounded({steps.sum_of_squared_deviations(), n * population});
  return steps.divided(scaled, divisor).error;
}

}  // namespace foldproof
