// Exact statistics of the sum of elements, or of products of two, gathered in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/dyadic.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {

struct Tally {
  std::uint64_t count = 0;           ///< elements
  std::uint64_t finite = 0;          ///< finite elements
  std::uint64_t negative_zeros = 0;  ///< elements that are −0
  Specials specials;
  std::uint64_t nonzero = 0;       ///< finite elements that are not zero
  Dyadic positive, negative;       ///< exact sums of the magnitudes of the finite elements, by sign
  std::int64_t lowest_place = 0;   ///< largest q with all finite elements multiples of 2^q; 0 if all are zero
  std::int64_t highest_place = 0;  ///< largest leading exponent; 0 if all are zero
  int widest = 0;                  ///< largest number of significant bits in an element

  Dyadic sum() const { return positive - negative; }
  Dyadic magnitude() const { return positive + negative; }
  /// The tally of both together.
  Tally& operator+=(const Tally& other);
};

/// Whether every sum of some of the terms is a value of the format, so that no order of summation rounds: all
/// terms are multiples of 2^q, and their magnitudes add up to at most 2^(p+q). Subnormal numbers are kept.
bool no_order_rounds(const Tally& terms, const FloatFormat& format);

/// Up to 2^40 elements of any type and range; nothing is rounded.
Tally tally(Element element, std::span<const std::byte> elements);

/// The same for the elementwise products of two vectors of equal length.
Tally tally_products(Element element, std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace foldproof
