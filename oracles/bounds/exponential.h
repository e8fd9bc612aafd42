// Bounds for log-sum-exp and softmax computed relative to the maximum m: w_i = exp(x_i - m), S = sum of w_i.
// Symbols: oracles/bounds.h.
#pragma once

#include <cstdint>

#include "oracles/bounds.h"

namespace foldproof {

/// Accuracy of the device's functions for every argument that occurs.
struct ExponentialErrors {
  Dyadic exp_relative;       ///< of exp near 0, excluding underflow
  Dyadic exp_absolute;       ///< of exp where it underflows: eta, or lambda if results are flushed to zero
  Dyadic log_relative;       ///< of log
  Dyadic log_absolute = {};  ///< of log, in addition
  Dyadic exp_slope = {};     ///< by how much exp_relative grows per unit of the argument's magnitude
};

/// Statistics of t_i = m - x_i over all i with a finite x_i; the other elements contribute exactly 0.
struct ExponentialSums {
  std::uint64_t count = 0;
  Dyadic sum_low;        ///< lower bound on S = sum of exp(-t_i); at least 1
  Dyadic sum_high;       ///< upper bound on S
  Dyadic inflated;       ///< upper bound on the sum of exp(-t_i (1 - u)): S after x_i - m is rounded
  Dyadic weighted = {};  ///< the same for t_i exp(-t_i (1 - u))
};

/// Whether x_i - m is rounded. It is not if it is a value of the format, unless x_i or m is rounded before,
/// or earlier maxima are subtracted.
enum class Difference : std::uint8_t { always_rounded, exact_if_possible };

/// Upper bound on e^(u t), the factor by which rounding x_i - m may change an exponential; if u t exceeds
/// 2^10, e^(2^10).
Dyadic drift_factor(const Dyadic& gap, int precision, Difference difference);

/// Bound on |S computed - S| if no term passes through more than `height` additions.
Bound exponential_sum_bound(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                            const ExponentialErrors& errors);

/// Bound on |m + log S computed - exact|; `result`: an upper bound on |m + ln S|.
Bound log_sum_exp_bound(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                        const ExponentialErrors& errors, const Dyadic& result);

/// The bounds for one softmax.
class SoftmaxBounds {
 public:
  /// `roundings`: 1 for a division, 2 for a multiplication by the rounded reciprocal of S. `flush`: subnormal
  /// p_i become zero.
  SoftmaxBounds(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                const ExponentialErrors& errors, Difference difference, std::uint64_t roundings = 1,
                bool flush = false);

  /// Bound on |p_i computed - p_i| for p_i = w_i / S. `probability`: an upper bound on p_i; `gap`: t_i.
  Bound of(const Dyadic& probability, const Dyadic& gap) const;

 private:
  Bound relative_;  ///< relative error of S
  ExponentialErrors errors_;
  Dyadic inflation_;  ///< growth of a share from all errors except those of its exponential
  Dyadic underflow_, last_underflow_;
  int precision_;
  Difference difference_;
};

}  // namespace foldproof
