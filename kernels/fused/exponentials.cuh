// The origin of exponentials, and the share of each in their sum.
#pragma once

/// Relative to the highest score, no exponential overflows. If all scores are masked, -inf - -inf would be
/// NaN; relative to 0, their exponentials are 0, as they should be.
template <typename W>
__device__ W origin_of(W highest) {
  return isinf(highest) && highest < 0 ? W{0} : highest;
}

/// The share of one exponential in their sum; 0 if all scores are masked.
template <typename W>
__device__ W share_of(W exponential, W sum) {
  return sum == 0 ? W{0} : exponential / sum;
}
