// Where a chunk of numbers of an exact sum goes.
#pragma once

#include "oracles/long_accumulator.h"
#include "oracles/specials.h"

namespace foldproof {

/// What a chunk of numbers adds to a sum.
struct Part {
  LongAccumulator& positive;
  LongAccumulator& negative;
  Specials& specials;

  /// A significand of 64 or 128 bits, times 2^exponent.
  void add(bool is_negative, auto significand, int exponent) const {
    (is_negative ? negative : positive).add(significand, exponent);
  }
};

}  // namespace foldproof
