// What a sum has got besides finite values.
#pragma once

#include <cstdint>

#include "oracles/dyadic.h"

namespace foldproof {

/// What is known of a sum apart from the finite values, and how IEEE 754 adds that.
struct Specials {
  bool nan = false, positive_infinity = false, negative_infinity = false;  ///< whether any was added

  /// One that was added, if it is not finite.
  void add(Number::Category category, bool negative) {
    nan |= category == Number::Category::nan;
    if (category == Number::Category::infinity) (negative ? negative_infinity : positive_infinity) = true;
  }
  void merge(const Specials& other) {
    nan |= other.nan;
    positive_infinity |= other.positive_infinity;
    negative_infinity |= other.negative_infinity;
  }

  /// The sum is NaN: one was added, or infinities of both signs.
  bool give_nan() const { return nan || (positive_infinity && negative_infinity); }
  bool have_infinity() const { return positive_infinity || negative_infinity; }
  bool give_infinity() const { return !give_nan() && have_infinity(); }
};

/// A sum rounded once to a format, ties to even, as IEEE 754 has it; an integer stays at the end of its
/// range. `finite`: the exact sum of the finite values; `only_negative_zeros`: nothing else was added, but
/// something.
std::uint64_t rounded_sum(Element to, const Specials& specials, const Dyadic& finite,
                          bool only_negative_zeros);

}  // namespace foldproof
