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
  Steps(const Moments& m, const FloatFormat& format, const FastMath& fast)
      : moments_(m),
        format_(format),
        fast_(fast),
        u_(unit_roundoff(format.precision)),
        least_(fast.flushes() ? fast.flushed : half(smallest_subnormal(format))) {}

  Approximate sum() const {
    const Dyadic rounding = *sum_bound_any_order(moments_.count, format_.precision, moments_.magnitude);
    return {abs(moments_.sum), rounding + flush_loss(moments_.magnitude)};
  }
  Approximate squares() const { return {moments_.squares, dot(moments_.squares)}; }
  /// Error of the sum of n squares with that exact sum; those below the square of `flushed` may be lost.
  Dyadic dot(const Dyadic& magnitude) const {
    const std::uint64_t n = moments_.count;
    if (!fast_.flushes()) return *dot_bound_any_order(n, n, format_, magnitude);
    return *dot_bound_with_flush(n, format_, magnitude,
                                 n * (fast_.flushed_elements * fast_.flushed_elements));
  }
  Approximate squared(const Approximate& x) const {
    return rounded({x.magnitude * x.magnitude, (whole(2) * x.magnitude + x.error) * x.error});
  }
  /// By a division, or by multiplication with the rounded reciprocal, which has two roundings.
  Approximate divided(const Approximate& x, std::uint64_t by) const {
    Approximate quotient{over(x.magnitude, by), over(x.error, by)};
    for (std::uint64_t k = fast_.roundings_of_division(); k > 0; --k) quotient = rounded(quotient);
    return quotient;
  }
  /// Adds one rounding, with half the smallest subnormal for underflow, or what may be flushed.
  Approximate rounded(const Approximate& x) const {
    return {x.magnitude, x.error + u_ * (x.magnitude + x.error) + least_};
  }
  Dyadic sum_of_squared_deviations() const {
    const auto square = moments_.sum * moments_.sum;
    return moments_.squares - quotient(square, whole(moments_.count), variance_bits).low;
  }

  static Dyadic over(const Dyadic& x, std::uint64_t n) { return quotient(x, whole(n), variance_bits).high; }

 private:
  Dyadic flush_loss(const Dyadic& magnitude) const {
    if (!fast_.flushes()) return {};
    return flush_to_zero_loss(moments_.count, format_,
                              std::min(magnitude, moments_.count * fast_.flushed_elements));
  }

  const Moments& moments_;
  const FloatFormat& format_;
  const FastMath& fast_;
  Dyadic u_, least_;
};

/// How much the sum of n squares of d changes if each d changes by at most `each`: by Cauchy and Schwarz, at
/// most 2 each sqrt(n squares) + n each^2.
Dyadic change_of_squares(std::uint64_t count, const Dyadic& squares, const Dyadic& each) {
  if (each.is_zero()) return {};
  const Dyadic root = square_root(Enclosure(count * squares), variance_bits).high;
  return whole(2) * each * root + count * (each * each);
}

/// What the difference of an element and another value loses: the element, the value and the difference may
/// be flushed, and the difference again when it is read.
Dyadic each_flushed(const FastMath& fast) {
  return whole(2) * fast.flushed_elements + whole(4) * fast.flushed;
}

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
                 const FastMath& fast) {
  if (count == 0) return Bound::none("the mean of no values is NaN");
  if (const auto none = uncertain_count(count, format)) return *none;
  if (quotient(whole(1), whole(count), variance_bits).low < smallest_normal(format))
    return Bound::none(fmt::format("1 / {} may be subnormal", count));
  const Dyadic relative = *growth(fast.roundings_of_division(), format.precision);
  const Dyadic times_count = error + relative * (abs(sum) + error);
  return quotient(times_count, whole(count), variance_bits).high +
         (fast.flushes() ? fast.flushed : half(smallest_subnormal(format)));
}

Bound mean_of_shares_bound(std::uint64_t count, const Dyadic& magnitude, const FloatFormat& format,
                           const FastMath& fast) {
  if (count == 0) return Bound::none("the mean of no values is NaN");
  if (const auto none = uncertain_count(count, format)) return *none;
  // Two roundings of each share, half the smallest subnormal if it underflows, then the sum of the shares. An
  // element, its share and a sum to which it is added may each be flushed.
  const Dyadic exact = quotient(magnitude, whole(count), variance_bits).high;
  const Dyadic underflow = half(smallest_subnormal(format)) + fast.flushed_elements + whole(2) * fast.flushed;
  const Dyadic errors = *growth(fast.roundings_of_division(), format.precision) * exact + count * underflow;
  return sum_bound_of_approximate_terms(count, format.precision, exact, errors);
}

Bound two_pass_variance_bound(const Moments& moments, const FloatFormat& format, const FastMath& fast) {
  if (auto none = refused(moments, format)) return *none;
  const Steps steps(moments, format, fast);
  const Dyadic mean_error = steps.divided(steps.sum(), moments.count).error;
  const Dyadic deviations = steps.sum_of_squared_deviations();
  // About the computed mean, the sum of squared deviations is larger by n times the mean's squared error.
  const Dyadic shift = moments.count * (mean_error * mean_error), about_mean = deviations + shift;
  const Dyadic subtraction = *growth(2, format.precision);  // each difference is rounded, then squared
  const Dyadic flushed =
      change_of_squares(moments.count, (whole(1) + subtraction) * about_mean, each_flushed(fast));
  const Dyadic change = subtraction * about_mean + flushed;
  return steps.divided({deviations, shift + change + steps.dot(about_mean + change)}, moments.count).error;
}

namespace {

/// One merge moves the mean by distance * share: three roundings of a value of at most 2X, and one of the new
/// mean; the parts' own errors are averaged. 16 u X covers all of these, including means slightly beyond X.
/// An approximate division has three roundings more, and eight values of a merge may be flushed.
Bound merged_mean_error(std::uint64_t count, const Dyadic& largest, const FloatFormat& format,
                        const FastMath& fast) {
  if (auto none = uncertain_count(count, format)) return *none;
  const Dyadic relative = (fast.approximates ? 32 : 16) * count * unit_roundoff(format.precision);
  if (relative > half(whole(1))) return Bound::none("the number of merges is too large for the precision");
  return relative * largest +
         count * (smallest_subnormal(format) + fast.flushed_elements + whole(8) * fast.flushed);
}

/// Upper bound on the sum of min(a, b) over all merges of parts of a and b elements.
std::uint64_t sum_of_smaller_parts(std::uint64_t count) { return count * (1 + std::bit_width(count)); }

}  // namespace

Bound merged_mean_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format,
                        const FastMath& fast) {
  if (count == 0) return Bound::none("the mean of no values is NaN");
  return merged_mean_error(count, largest, format, fast);
}

Bound merged_variance_bound(const Moments& moments, const Dyadic& largest, const FloatFormat& format,
                            const FastMath& fast) {
  if (auto none = refused(moments, format)) return *none;
  const Bound mean = merged_mean_error(moments.count, largest, format, fast);
  if (!mean) return mean;
  const Steps steps(moments, format, fast);
  const std::uint64_t n = moments.count;
  const Dyadic u = unit_roundoff(format.precision), deviations = steps.sum_of_squared_deviations();
  // Each merge adds w d^2 with w <= min(a, b), where d is the distance of the means, known to within e
  // (`apart`). Over all merges, w (2 |d| e + e^2) sums to 2 e sqrt(W M) + W e^2 (Cauchy-Schwarz), and to
  // twice that if Welford's factors differ.
  const Dyadic apart = whole(2) * *mean + 4 * u * largest + fast.flushed_elements + whole(8) * fast.flushed;
  const Dyadic weights = whole(sum_of_smaller_parts(n));
  const Dyadic root = square_root(Enclosure(weights * deviations), variance_bits).high;
  const Dyadic of_distances = whole(4) * apart * root + whole(2) * weights * apart * apart;
  // Eight roundings on a term's path into the sum, and one more for each merge above. A square that is
  // flushed is lost with its weight, the other values of a merge without.
  const Bound rounding = growth(n + (fast.approximates ? 16 : 8), format.precision);
  if (!rounding) return rounding;
  const Dyadic flushed = (whole(4) * weights + whole(16 * n)) * fast.flushed;
  const Dyadic error =
      of_distances + *rounding * (deviations + of_distances) + n * smallest_subnormal(format) + flushed;
  return steps.divided({deviations, error}, n).error;
}

Bound textbook_variance_bound(const Moments& moments, const FloatFormat& format, const FastMath& fast) {
  if (auto none = refused(moments, format)) return *none;
  const Steps steps(moments, format, fast);
  const std::uint64_t n = moments.count;
  const Approximate squares = steps.squares();
  const Dyadic deviations = steps.sum_of_squared_deviations();
  const Approximate of_sum = steps.divided(steps.squared(steps.sum()), n);
  const Dyadic late = steps.divided(steps.rounded({deviations, squares.error + of_sum.error}), n).error;
  const Approximate of_mean = steps.squared(steps.divided(steps.sum(), n));
  const Dyadic early =
      steps.rounded({steps.over(deviations, n), steps.divided(squares, n).error + of_mean.error}).error;
  return std::max(late, early);
}

Bound shifted_variance_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format,
                             const FastMath& fast) {
  const Dyadic u = unit_roundoff(format.precision), reach = whole(2) * largest * (whole(1) + u);
  const Dyadic squares = count * (reach * reach);
  if (count * squares > largest_finite(format)) return Bound::none("the sums of the distances may overflow");
  const Bound textbook =
      textbook_variance_bound({count, count * reach, count * reach, squares}, format, fast);
  if (!textbook) return textbook;
  // The distances are rounded, which changes the sum of their squared deviations by at most (2 u + u^2) times
  // `squares`; and the rest of the formula rounds a value of up to `squares`, where the bound above takes the
  // exact one: zero, since all distances are the same in it.
  const Dyadic relative = whole(2) * u + u * u + *growth(4, format.precision);
  const Dyadic flushed = change_of_squares(count, squares, each_flushed(fast));
  return *textbook + quotient(relative * squares + flushed, whole(count), variance_bits).high;
}

Bound sample_variance_bound(const Moments& moments, const Dyadic& population, const FloatFormat& format,
                            const FastMath& fast) {
  if (moments.count < 2)
    return Bound::none("the variance of a sample of fewer than two values is not defined");
  const Steps steps(moments, format, fast);
  const std::uint64_t n = moments.count, divisor = n - 1;
  // The product with n, or with the rounded n / (n - 1), and the two roundings of the division.
  const Approximate scaled = steps.rounded({steps.sum_of_squared_deviations(), n * population});
  return steps.divided(scaled, divisor).error;
}

}  // namespace foldproof
