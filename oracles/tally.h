// One pass over elements, or products of two, that keeps everything exact about their sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/dyadic.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {

struct Tally {
  std::uint64_t count = 0;           ///< of elements
  std::uint64_t finite = 0;          ///< among them
  std::uint64_t negative_zeros = 0;  ///< among them
  Specials specials;
  std::uint64_t nonzero = 0;  ///< finite elements that are not zero
  Dyadic positive, negative;  ///< exact sums of the magnitudes of the finite elements, by sign
  std::int64_t lowest_place =
      0;  ///< the largest q with every finite element a multiple of 2^q; 0 without any
  std::int64_t highest_place = 0;  ///< the largest leading exponent; 0 without any
  int widest = 0;                  ///< most significant bits in one element

  Dyadic sum() const { return positive - negative; }
  Dyadic magnitude() const { return positive + negative; }
  /// Of both together.
  Tally& operator+=(const Tally& other);
};

/// Whether every sum of some of the terms is a value of the format, so that no order of summation rounds: all
/// are multiples of 2^q, and their magnitudes add up to 2^(p+q) at most. `flush`: subnormal numbers become
/// zero.
bool no_order_rounds(const Tally& terms, const FloatFormat& format, bool flush);

/// Any number of elements up to 2^40, of any type, in any range: nothing is rounded.
Tally tally(Element element, std::span<const std::byte> elements);

/// The same of the products of elements that stand at the same place in two vectors of one length.
Tally tally_products(Element element, std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace foldproof
