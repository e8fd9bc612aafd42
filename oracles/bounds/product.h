// Bound for products in any order. Symbols: oracles/bounds.h.
#pragma once

#include <cstdint>

#include "oracles/bounds.h"

namespace foldproof {

/// Powers of two that enclose the magnitude of every partial product in any order: the product of the powers
/// at or above the factors larger than 1, and of those at or below the factors smaller than 1.
struct ProductRange {
  std::int64_t highest = 0;  ///< |partial product| <= 2^highest
  std::int64_t lowest = 0;   ///< |partial product| >= 2^lowest
};

/// Any order: ((1 + u')^(n - 1) - 1) |product|, where n is the number of factors that are not powers of two.
/// No bound if a partial product may leave the format's normal range.
Bound product_bound_any_order(std::uint64_t factors, const ProductRange& range, const FloatFormat& format,
                              const Dyadic& product, Rounding rounding = Rounding::nearest);

}  // namespace foldproof
