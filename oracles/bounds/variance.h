// Bounds for means and variances. Symbols: oracles/bounds.h. Sums may be in any order; products may be fused.
#pragma once

#include <cstdint>

#include "oracles/bounds.h"

namespace foldproof {

/// Exact statistics of n values of the format.
struct Moments {
  std::uint64_t count = 0;
  Dyadic sum;        ///< of x
  Dyadic magnitude;  ///< of |x|
  Dyadic squares;    ///< of x^2
};

/// The sum of n values, known to within `error`, divided by n or multiplied by the rounded 1 / n.
Bound mean_bound(std::uint64_t count, const Dyadic& sum, const Dyadic& error, const FloatFormat& format,
                 const FastMath& fast = {});

/// The sum, in any order, of x / n, where each x is first divided by n or multiplied by the rounded 1 / n.
Bound mean_of_shares_bound(std::uint64_t count, const Dyadic& magnitude, const FloatFormat& format,
                           const FastMath& fast = {});

/// The mean m first, then the sum of (x - m)^2 over n. Every division may be a multiplication by the rounded
/// reciprocal. This and the other variances are those of a population.
Bound two_pass_variance_bound(const Moments& moments, const FloatFormat& format, const FastMath& fast = {});

/// Mean and variance by Welford's recurrence, or by merging parts of any size in any tree
/// (Chan, Golub and LeVeque). `largest`: an upper bound on |x|. Derived in docs/numerics.md.
Bound merged_mean_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format,
                        const FastMath& fast = {});
Bound merged_variance_bound(const Moments& moments, const Dyadic& largest, const FloatFormat& format,
                            const FastMath& fast = {});

/// The textbook formula (sum of x^2 - (sum of x)^2 / n) / n, or the mean of x^2 minus the squared mean. The
/// bound is weak if the mean is large compared with the deviation, and so is the method.
Bound textbook_variance_bound(const Moments& moments, const FloatFormat& format, const FastMath& fast = {});

/// The textbook formula for x - c, where c is any value between the elements. `largest`: an upper bound on
/// |x|. c may be far from the mean, so the bound does not depend on the deviation.
Bound shifted_variance_bound(std::uint64_t count, const Dyadic& largest, const FloatFormat& format,
                             const FastMath& fast = {});

/// The variance of a sample, with the divisor n - 1: directly, or from the variance of the population, which
/// is known to within `population`. Derived in docs/numerics.md.
Bound sample_variance_bound(const Moments& moments, const Dyadic& population, const FloatFormat& format,
                            const FastMath& fast = {});

}  // namespace foldproof
