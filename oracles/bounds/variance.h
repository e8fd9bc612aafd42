// Bounds of means and variances. Symbols: oracles/bounds.h; all sums may be in any order, products fused or
// not.
#pragma once

#include <cstdint>

#include "oracles/bounds.h"

namespace foldproof {

/// What is exact about n values of the format.
struct Moments {
  std::uint64_t count = 0;
  Dyadic sum;        ///< of x
  Dyadic magnitude;  ///< of |x|
  Dyadic squares;    ///< of x^2
};

/// The sum of n values, known to within `error`, divided by n or multiplied by the rounded 1 / n. `flush`: a
/// subnormal result becomes zero.
Bound mean_bound(std::uint64_t count, const Dyadic& sum, const Dyadic& error, const FloatFormat& format,
                 bool flush = false);

/// The sum of x / n, each divided, or multiplied by the rounded 1 / n, before the sum in any order.
Bound mean_of_shares_bound(std::uint64_t count, const Dyadic& magnitude, const FloatFormat& format);

/// First the mean m, then the sum of (x - m)^2, over `divisor`: n for a population, n - 1 for a sample. Every
/// division may be a product with the rounded reciprocal.
Bound two_pass_variance_bound(const Moments& moments, std::uint64_t divisor, const FloatFormat& format);

/// Welford's recurrence, or parts of any size merged in any tree (Chan, Golub and LeVeque), of a population.
/// `largest`: the largest |x|. Derived in docs/numerics.md.
Bound merged_mean_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format);
Bound merged_variance_bound(const Moments& moments, const Dyadic& largest, const FloatFormat& format);

/// (sum of x^2 - (sum of x)^2 / n) / divisor, the textbook's formula, or, of a population, the mean of x^2
/// less the square of the mean: it says little where the mean is large beside the deviation, and rightly so.
Bound textbook_variance_bound(const Moments& moments, std::uint64_t divisor, const FloatFormat& format);

}  // namespace foldproof
