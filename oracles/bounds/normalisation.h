// Bounds for roots of means and sums, and for values divided by them: standard deviations, LayerNorm, RMSNorm
// and L2 normalization. Symbols: oracles/bounds.h.
#pragma once

#include "oracles/bounds.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {

/// An exact value and the largest error of its computed counterpart.
struct Known {
  Enclosure exact;
  Dyadic error;
};

/// Bound on |sqrt(s) computed - sqrt(s)|, where the root has a relative error of at most `root_error`.
/// `square` is s.
Bound root_bound(const Known& square, const FloatFormat& format, const Dyadic& root_error);

/// y = d / sqrt(s) w + b, where the reciprocal of the root has a relative error of at most 6u (a root and a
/// division have two roundings; CUDA's rsqrt has an error of 2 ulp; 8u if both are approximate) and every
/// product and the sum are rounded, fused or not. `square` is s. There is no bound unless s exceeds twice its
/// error and reaches four times the smallest normal value.
class NormalisedBound {
 public:
  /// `affine`: the format of the last two roundings, to which d / sqrt(s) is rounded first if it is not
  /// `format`.
  NormalisedBound(const Known& square, const FloatFormat& format, const FloatFormat& affine,
                  const FastMath& fast);
  NormalisedBound(const Known& square, const FloatFormat& format, const FastMath& fast)
      : NormalisedBound(square, format, format, fast) {}

  /// Bound on |y computed - y|. `separate`: |x| + 2 |m| if d is x - m and the kernel may compute
  /// x (w / sqrt(s)) + (b - m (w / sqrt(s))) instead; 0 otherwise.
  Bound of(const Known& deviation, const Dyadic& weight, const Dyadic& bias,
           const Dyadic& separate = {}) const;

 private:
  /// For a value that is known to within `error`, and then rounded to the format of the output.
  Bound of_rounded(Dyadic computed, Dyadic error, const Dyadic& weight, const Dyadic& bias) const;

  /// What a weight and a bias may lose by being flushed.
  Dyadic lost_operands(const Dyadic& computed, const Dyadic& weight, const Dyadic& bias) const;

  FloatFormat format_, affine_;
  FastMath fast_;
  Bound relative_;  ///< relative error of 1 / sqrt(s)
  Dyadic inverse_;  ///< upper bound on 1 / sqrt(s)
};

}  // namespace foldproof
