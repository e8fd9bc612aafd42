// What a sum has got besides finite values.
#pragma once

#include <cstdint>

#include "oracles/dyadic.h"

namespace foldproof {

/// What is known of a sum apart from the finite values: how IEEE 754 adds the others.
struct Specials {
  std::uint64_t nans = 0, positive_infinities = 0, negative_infinities = 0;

  /// The sum is NaN: one was added, or infinities of both signs.
  bool give_nan() const { return nans != 0 || (positive_infinities != 0 && negative_infinities != 0); }
  bool have_infinity() const { return positive_infinities != 0 || negative_infinities != 0; }
  bool give_infinity() const { return !give_nan() && have_infinity(); }
};

/// A sum rounded once to a format, ties to even, as IEEE 754 has it; an integer stays at the end of its
/// range. `finite`: the exact sum of the finite values; `only_negative_zeros`: nothing else was added, but
/// something.
std::uint64_t rounded_sum(Element to, const Specials& specials, const Dyadic& finite,
                          bool only_negative_zeros);

}  // namespace foldproof
