#include "oracles/bounds/normalisation.h"

#include "oracles/dyadic.h"

namespace foldproof {
namespace {

constexpr unsigned inverse_bits = 128, bits_of_root = 256;
constexpr std::uint64_t roundings_of_root = 6, roundings_of_approximate_root = 8;

/// x/sqrt(s') differs from x/sqrt(s) by a factor between 1 - e/s and 1 + e/s if |s' - s| <= e <= s/2.
Bound relative_error(const Known& square, const FloatFormat& format, const FastMath& fast) {
  if (square.exact.low <= square.error * whole(2))
    return Bound::none("the value under the root is not larger than twice its rounding error");
  if (square.exact.low < smallest_normal(format) * whole(4))
    return Bound::none("the value under the root may be subnormal");
  const Dyadic of_square = quotient(square.error, square.exact.low, inverse_bits).high;
  const Dyadic of_root = whole(fast.approximates ? roundings_of_approximate_root : roundings_of_root) *
                         unit_roundoff(format.precision);
  return of_square + of_root + of_square * of_root;
}

}  // namespace

Bound root_bound(const Known& square, const FloatFormat& format, const Dyadic& root_error) {
  const Enclosure root = square_root(square.exact, bits_of_root);
  const Dyadic lowest = larger(square.exact.low - square.error, Dyadic{}), one = whole(1);
  const Dyadic above =
      square_root(square.exact.high + square.error, bits_of_root).high * (one + root_error) - root.low;
  const Dyadic below = root.high - square_root(lowest, bits_of_root).low * (one - root_error);
  return larger(above, below) + half(smallest_subnormal(format));
}

NormalisedBound::NormalisedBound(const Known& square, const FloatFormat& format, const FloatFormat& affine,
                                 const FastMath& fast)
    : format_(format), affine_(affine), fast_(fast), relative_(relative_error(square, format, fast)) {
  if (relative_)
    inverse_ = quotient(whole(1), square_root(square.exact.low, inverse_bits), inverse_bits).high;
}

Dyadic NormalisedBound::lost_operands(const Dyadic& computed, const Dyadic& weight,
                                      const Dyadic& bias) const {
  const Dyadic of_weight = weight < fast_.flushed_elements ? weight * computed : Dyadic{};
  return of_weight + (abs(bias) < fast_.flushed_elements ? abs(bias) : Dyadic{});
}

Bound NormalisedBound::of(const Known& deviation, const Dyadic& weight, const Dyadic& bias,
                          const Dyadic& separate) const {
  if (!relative_) return relative_;
  const Dyadic u = unit_roundoff(format_.precision);
  const Dyadic underflow = fast_.flushes() ? fast_.flushed : half(smallest_subnormal(format_));
  const Dyadic d = largest_magnitude(deviation.exact), w = abs(weight);
  const Dyadic normalised = d * inverse_;
  Dyadic computed = (d + deviation.error) * inverse_ * (whole(1) + *relative_) * (whole(1) + u);
  Dyadic error = computed - normalised + underflow;
  if (computed > largest_finite(format_)) return Bound::none("the result may overflow");
  const bool may_be_separate = !separate.is_zero();
  if (may_be_separate) {
    const Dyadic products = separate * inverse_ * (whole(1) + *relative_) * (whole(1) + whole(2) * u);
    if (larger(w, whole(1)) * products + abs(bias) > largest_finite(format_))
      return Bound::none("the result may overflow");
    error = error + u * products + whole(2) * underflow;
    computed = computed + u * products + whole(2) * underflow;
  }
  if (affine_.precision != format_.precision) return of_rounded(computed, error, w, bias);
  // The weight may also be multiplied by the reciprocal, or by the deviation, first: either may underflow.
  const Dyadic reciprocal = inverse_ * (whole(1) + *relative_) * (whole(1) + u);
  error = w * error + u * w * computed + underflow + underflow * (d + deviation.error + reciprocal) +
          lost_operands(computed, w, bias);
  // The difference b - m (w / sqrt(s)) is rounded; all three products may underflow.
  if (may_be_separate) error = error + u * abs(bias) + underflow * (separate + whole(2));
  error = error + u * (w * computed + error + abs(bias)) + underflow;
  if (w * computed + error + abs(bias) > largest_finite(format_))
    return Bound::none("the result may overflow");
  return error;
}

/// The last rounding, of the product or the sum, is that of the output.
Bound NormalisedBound::of_rounded(Dyadic computed, Dyadic error, const Dyadic& weight,
                                  const Dyadic& bias) const {
  const Dyadic u = unit_roundoff(affine_.precision),
               least = half(smallest_subnormal(affine_)) + fast_.flushed_elements;
  error = error + u * computed + least + lost_operands(computed, weight, bias);
  computed = computed * (whole(1) + u) + least;
  if (computed > largest_finite(affine_)) return Bound::none("the result may overflow");
  if (bias.is_zero()) return weight * error;
  error = weight * error + u * weight * computed + least;
  if (weight * computed + error > largest_finite(affine_)) return Bound::none("the result may overflow");
  return error;
}

}  // namespace foldproof
