// An exact result that need not be a dyadic number.
#pragma once

#include <functional>
#include <optional>

#include "oracles/exact/enclosure.h"

namespace foldproof {

/// NaN, an infinity, or a real number that can be enclosed to any precision.
class Reference {
 public:
  /// An enclosure whose ends agree in about `bits` leading bits; more bits never widen it.
  using Refine = std::function<Enclosure(unsigned bits)>;

  static Reference nan() { return {Number::Category::nan, false, {}}; }
  static Reference infinity(bool negative) { return {Number::Category::infinity, negative, {}}; }
  static Reference zero(bool negative = false) { return {Number::Category::finite, negative, {}}; }
  static Reference exactly(const Dyadic& value);
  static Reference real(Refine refine) { return {Number::Category::finite, false, std::move(refine)}; }

  Number::Category category() const { return category_; }
  bool is_finite() const { return category_ == Number::Category::finite; }
  /// The sign of an infinity or an exact zero.
  bool negative() const { return negative_; }

  /// An enclosure of the exact value of a finite result. For checking.
  Enclosure enclosure(unsigned bits = 128) const { return refine_ ? refine_(bits) : Enclosure(); }

  /// The element nearest to the exact result, ties to even, as encode() rounds: the enclosure is narrowed
  /// until one element is left (Ziv's strategy). Nothing if that stays uncertain, which only a logarithm or
  /// an exponential can cause, within 2^-2000 of the midpoint of two elements.
  std::optional<std::uint64_t> rounded(Element element) const;

 private:
  Reference(Number::Category category, bool negative, Refine refine)
      : category_(category), negative_(negative), refine_(std::move(refine)) {}

  Number::Category category_;
  bool negative_;
  Refine refine_;  ///< empty for zero and for non-finite results
};

}  // namespace foldproof
