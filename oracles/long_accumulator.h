// A sum as wide as all that may be added to it, so that nothing is ever rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/dyadic.h"

namespace foldproof {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): -Wpedantic wants it so

/// Adds up magnitudes that are multiples of 2^lowest (Kulisch's long accumulator): any number of them up to
/// 2^64.
class LongAccumulator {
 public:
  /// For products of so many elements.
  LongAccumulator(Element element, int factors);

  /// significand * 2^exponent: no smaller than what the elements have, and no larger than 2^64 of them.
  void add(std::uint64_t significand, int exponent);
  void add(Wide significand, int exponent);
  /// Both of the same range.
  void add(const LongAccumulator& other);

  Dyadic total() const;

 private:
  void add_at(unsigned place, std::uint64_t significand);
  void carry();

  int lowest_ = 0;
  std::uint64_t additions_ = 0;        ///< since the digits were last below 2^32
  std::vector<std::uint64_t> digits_;  ///< of 32 bits and as many again for carries, lowest first
};

}  // namespace foldproof
