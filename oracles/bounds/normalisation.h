// Bounds of what is divided by the root of a mean: LayerNorm and RMSNorm. Symbols: oracles/bounds.h.
#pragma once

#include "oracles/bounds.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {

/// A number that is known, and how far from it the computed one may lie.
struct Known {
  Enclosure exact;
  Dyadic error;
};

/// y = d / sqrt(s) w + b with a relative error of at most 6u in the reciprocal of the root (a root and a
/// division have two roundings, CUDA's rsqrt is off by 2 ulp); every product and the sum rounded, fused or
/// not. `square` is s: positive, or there is no bound; neither where its error is half of it or more.
class NormalisedBound {
 public:
  NormalisedBound(const Known& square, const FloatFormat& format);

  /// |y computed - y|.
  Bound of(const Known& deviation, const Dyadic& weight, const Dyadic& bias) const;

 private:
  FloatFormat format_;
  Bound relative_;  ///< of 1 / sqrt(s)
  Dyadic inverse_;  ///< at least 1 / sqrt(s)
};

}  // namespace foldproof
