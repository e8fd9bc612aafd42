// Bounds of log-sum-exp and softmax, computed about the maximum m: w_i = exp(x_i - m), S = sum of w_i.
// Symbols: oracles/bounds.h.
#pragma once

#include <cstdint>

#include "oracles/bounds.h"

namespace foldproof {

/// How good the device's functions are, for every argument that occurs.
struct ExponentialErrors {
  Dyadic exp_relative;       ///< of exp, apart from underflow
  Dyadic exp_absolute;       ///< of exp where it underflows: eta, or lambda where results are flushed to zero
  Dyadic log_relative;       ///< of log
  Dyadic log_absolute = {};  ///< of log, besides
};

/// Of x_i - m for all i with a finite x_i (the others give exactly 0), t_i = m - x_i.
struct ExponentialSums {
  std::uint64_t count = 0;
  Dyadic sum_low;   ///< at most S = sum of exp(-t_i); 1 at least
  Dyadic sum_high;  ///< at least S
  Dyadic inflated;  ///< at least the sum of exp(-t_i (1 - u)): what the rounding of x_i - m makes of S
};

/// At least e^(u t), what the rounding of x_i - m may make of an exponential; of u t beyond 2^10, e^(2^10).
Dyadic drift_factor(const Dyadic& gap, int precision);

/// |S computed - S|, where no term passes through more than `height` additions.
Bound exponential_sum_bound(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                            const ExponentialErrors& errors);

/// |m + log S computed - exact|; `result`: an upper bound of |m + ln S|.
Bound log_sum_exp_bound(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                        const ExponentialErrors& errors, const Dyadic& result);

/// The bounds of one softmax.
class SoftmaxBounds {
 public:
  /// `roundings`: 1 for a division, 2 for a multiplication by the rounded reciprocal of S. `flush`: a
  /// subnormal p_i becomes zero.
  SoftmaxBounds(const ExponentialSums& sums, std::uint64_t height, const FloatFormat& format,
                const ExponentialErrors& errors, std::uint64_t roundings = 1, bool flush = false);

  /// |p_i computed - p_i| of p_i = w_i / S. `probability`: an upper bound of p_i; `gap`: t_i.
  Bound of(const Dyadic& probability, const Dyadic& gap) const;

 private:
  Bound relative_;    ///< error of S
  Dyadic inflation_;  ///< what all but the drift of an exponential makes of a share
  Dyadic underflow_, last_underflow_;
  int precision_;
};

}  // namespace foldproof
