// What kind of value a code stands for, and which values stand next to it.
#pragma once

#include <cstdint>

#include "oracles/formats.h"

namespace foldproof {

struct ValueClass {
  enum class Kind : std::uint8_t { nan, infinity, zero, subnormal, normal };
  Kind kind = Kind::zero;
  bool negative = false;

  friend bool operator==(const ValueClass&, const ValueClass&) = default;
};

/// Integers are zero or normal.
ValueClass classify(Element element, std::uint64_t bits);

/// The least value above, and the greatest below (nextUp and nextDown of IEEE 754): below the smallest
/// positive subnormal comes +0, above the smallest negative one −0; from either zero the next is a subnormal.
/// NaN stays NaN, and the last value of the format, infinity where it has one, stays itself; so do the ends
/// of integers.
std::uint64_t next_up(Element element, std::uint64_t bits);
std::uint64_t next_down(Element element, std::uint64_t bits);

}  // namespace foldproof
