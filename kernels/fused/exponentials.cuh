// What exponentials are taken about, and what share of their sum each is.
#pragma once

/// About the highest score no exponential overflows. Where all scores are masked, -inf - -inf would be NaN:
/// about 0 their exponentials are 0, as they should be.
template <typename W>
__device__ W origin_of(W highest) {
  return isinf(highest) && highest < 0 ? W{0} : highest;
}

/// One exponential's share of their sum; of nothing but masked scores, none.
template <typename W>
__device__ W share_of(W exponential, W sum) {
  return sum == 0 ? W{0} : exponential / sum;
}
