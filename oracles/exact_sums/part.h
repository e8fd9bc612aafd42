// Where a chunk of numbers of an exact sum goes.
#pragma once

#include <cstdint>

#include "oracles/long_accumulator.h"
#include "oracles/specials.h"

namespace foldproof {

/// What a chunk of numbers adds to a sum.
struct Part {
  LongAccumulator& positive;
  LongAccumulator& negative;
  Specials& specials;

  void add(bool is_negative, std::uint64_t significand, int exponent) const {
    (is_negative ? negative : positive).add(significand, exponent);
  }
};

}  // namespace foldproof
