#include "oracles/bounds.h"

#include "oracles/dyadic.h"

namespace foldproof {

Bound sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude, Rounding rounding) {
  if (terms < 2) return Dyadic{};
  if (rounding != Rounding::nearest)
    return Bound::none(
        "the bound for any order requires additions that round to nearest; specify the height of the tree");
  return (terms - 1) * (unit_roundoff(precision) * magnitude);
}

Bound sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude, Rounding rounding) {
  Bound relative = growth(height, precision, rounding);
  if (!relative) return relative;
  return *relative * magnitude;
}

Bound sum_bound_of_approximate_terms(std::uint64_t terms, int precision, const Dyadic& magnitude,
                                     const Dyadic& errors) {
  Bound tree = sum_bound_any_order(terms, precision, magnitude + errors);
  if (!tree) return tree;
  return errors + *tree;
}

Bound sum_bound_of_approximate_terms(std::uint64_t terms, std::uint64_t height, int precision,
                                     const Dyadic& magnitude, const Dyadic& errors) {
  Bound tree = sharper(sum_bound_of_height(height, precision, magnitude + errors),
                       sum_bound_any_order(terms, precision, magnitude + errors));
  if (!tree) return tree;
  return errors + *tree;
}

Dyadic flush_to_zero_loss(std::uint64_t terms, const FloatFormat& format, const Dyadic& subnormal_magnitude) {
  return (terms / 2) * (smallest_normal(format) - smallest_subnormal(format)) + subnormal_magnitude;
}

Dyadic conversion_bound(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude) {
  return unit_roundoff(format.precision) * magnitude + terms * half(smallest_subnormal(format));
}

}  // namespace foldproof
