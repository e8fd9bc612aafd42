#include "oracles/specials.h"

namespace foldproof {

std::uint64_t rounded_sum(Element to, const Specials& specials, const Dyadic& finite,
                          bool only_negative_zeros) {
  using Category = Number::Category;
  if (specials.give_nan()) return encode(to, {Category::nan, false, 0, 0});
  if (specials.give_infinity()) return encode(to, {Category::infinity, specials.negative_infinity, 0, 0});
  if (finite.is_zero()) return encode(to, {Category::finite, only_negative_zeros, 0, 0});
  return rounded(to, finite);
}

}  // namespace foldproof
