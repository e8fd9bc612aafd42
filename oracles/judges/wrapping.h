// Integers as the judges of sums and products modulo 2^w compute with them.
#pragma once

#include "oracles/number.h"

namespace foldproof {

/// An integer element as two's complement of 64 bits.
inline std::uint64_t extended(Element element, std::uint64_t bits) {
  const Number number = decode(element, bits);
  return number.negative ? std::uint64_t{0} - number.significand : number.significand;
}

}  // namespace foldproof
