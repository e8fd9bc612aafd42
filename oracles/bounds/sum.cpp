#include "oracles/bounds.h"

#include <map>

#include "oracles/dyadic.h"

namespace foldproof {

Bound sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude, Rounding rounding) {
  if (terms < 2) return Dyadic{};
  if (rounding != Rounding::nearest)
    return Bound::none(
        "the bound for any order needs additions that round to nearest; give the height of the tree");
  return (terms - 1) * (unit_roundoff(precision) * magnitude);
}

Bound sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude, Rounding rounding) {
  Bound relative = growth(height, precision, rounding);
  if (!relative) return relative;
  return *relative * magnitude;
}

Bound sum_bound_of_leaves(std::span<const Leaf> leaves, int precision, Rounding rounding) {
  std::map<std::uint64_t, Dyadic> by_depth;
  for (const Leaf& leaf : leaves) {
    Dyadic& magnitude = by_depth[leaf.roundings];
    magnitude = magnitude + leaf.magnitude;
  }
  Dyadic bound;
  for (const auto& [depth, magnitude] : by_depth) {
    Bound part = sum_bound_of_height(depth, precision, magnitude, rounding);
    if (!part) return part;
    bound = bound + *part;
  }
  return bound;
}

Bound sum_bound_of_partial_sums(std::span<const Dyadic> partial_sums, const FloatFormat& format,
                                Rounding rounding) {
  const int places = rounding == Rounding::nearest ? format.precision : format.precision - 1;
  Dyadic bound;
  for (const Dyadic& sum : partial_sums)
    if (!sum.is_zero() && sum.leading_exponent() > format.normal_exponent())
      bound = bound + Dyadic::power_of_two(sum.leading_exponent() - places);
  return bound;
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

std::vector<Dyadic> scan_bounds_any_order(std::span<const Dyadic> magnitudes, int precision) {
  std::vector<Dyadic> bounds;
  bounds.reserve(magnitudes.size());
  Dyadic total;
  std::uint64_t terms = 0;
  for (const Dyadic& magnitude : magnitudes) {
    total = total + magnitude;
    terms += magnitude.is_zero() ? 0 : 1;
    bounds.push_back(*sum_bound_any_order(terms, precision, total));
  }
  return bounds;
}

Dyadic flush_to_zero_loss(std::uint64_t terms, const FloatFormat& format, const Dyadic& subnormal_magnitude) {
  return (terms / 2) * (smallest_normal(format) - smallest_subnormal(format)) + subnormal_magnitude;
}

Dyadic conversion_bound(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude) {
  return unit_roundoff(format.precision) * magnitude + terms * half(smallest_subnormal(format));
}

}  // namespace foldproof
