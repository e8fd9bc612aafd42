// An exact result that need not be a dyadic number.
#pragma once

#include <functional>
#include <optional>

#include "oracles/exact/enclosure.h"

namespace foldproof {

/// NaN, an infinity, or a real number that can be enclosed as narrowly as is asked for.
class Reference {
 public:
  /// An enclosure whose ends agree in about so many leading bits; more bits never make it wider.
  using Refine = std::function<Enclosure(unsigned bits)>;

  static Reference nan() { return {Number::Category::nan, false, {}}; }
  static Reference infinity(bool negative) { return {Number::Category::infinity, negative, {}}; }
  static Reference zero(bool negative = false) { return {Number::Category::finite, negative, {}}; }
  static Reference exactly(const Dyadic& value);
  static Reference real(Refine refine) { return {Number::Category::finite, false, std::move(refine)}; }

  Number::Category category() const { return category_; }
  bool is_finite() const { return category_ == Number::Category::finite; }
  /// Of an infinity or an exact zero.
  bool negative() const { return negative_; }

  /// Of a finite result: the exact value lies in it. For checking.
  Enclosure enclosure(unsigned bits = 128) const { return refine_ ? refine_(bits) : Enclosure(); }

  /// The element nearest to the exact result, ties to even, as encode() has it: what is enclosed is made
  /// narrower until one element is left (Ziv's strategy). Nothing where that stays uncertain, which only a
  /// logarithm or an exponential can cause, within 2^-2000 of the middle of two elements.
  std::optional<std::uint64_t> rounded(Element element) const;

 private:
  Reference(Number::Category category, bool negative, Refine refine)
      : category_(category), negative_(negative), refine_(std::move(refine)) {}

  Number::Category category_;
  bool negative_;
  Refine refine_;  ///< empty for zero and what is not finite
};

}  // namespace foldproof
