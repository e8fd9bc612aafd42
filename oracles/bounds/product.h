// The bound of products in any order. Symbols: oracles/bounds.h.
#pragma once

#include <cstdint>

#include "oracles/bounds.h"

namespace foldproof {

/// Powers of two between which the magnitude of every partial product lies, in whatever order: the products
/// of the powers above the factors larger than 1, and of those below the factors smaller than 1.
struct ProductRange {
  std::int64_t highest = 0;  ///< |partial product| <= 2^highest
  std::int64_t lowest = 0;   ///< |partial product| >= 2^lowest
};

/// Any order: ((1 + u')^(n - 1) - 1) |product|, with n the number of factors that are no powers of two. No
/// bound where a partial product may leave the normal range of the format.
Bound product_bound_any_order(std::uint64_t factors, const ProductRange& range, const FloatFormat& format,
                              const Dyadic& product, Rounding rounding = Rounding::nearest);

}  // namespace foldproof
