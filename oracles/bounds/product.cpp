#include "oracles/bounds/product.h"

#include <fmt/format.h>

namespace foldproof {

Bound product_bound_any_order(std::uint64_t factors, const ProductRange& range, const FloatFormat& format,
                              const Dyadic& product, Rounding rounding) {
  if (range.highest >= format.highest_exponent + format.precision)
    return Bound::none(fmt::format("some order of multiplication may reach 2^{}, where the format overflows",
                                   range.highest));
  if (range.lowest < format.normal_exponent())
    return Bound::none(fmt::format(
        "some order of multiplication may fall to 2^{}, where the format underflows", range.lowest));
  Bound relative = growth(factors == 0 ? 0 : factors - 1, format.precision, rounding);
  if (!relative) return relative;
  return *relative * abs(product);
}

}  // namespace foldproof
