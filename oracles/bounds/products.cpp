#include <fmt/format.h>

#include "oracles/bounds.h"
#include "oracles/bounds/normalisation.h"
#include "oracles/dyadic.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {
namespace {

constexpr unsigned root_bits = 256;

}  // namespace

Bound dot_bound_any_order(std::uint64_t terms, std::uint64_t inexact, const FloatFormat& format,
                          const Dyadic& magnitude) {
  const Dyadic relative = terms * unit_roundoff(format.precision);
  return relative * magnitude + inexact * half(smallest_subnormal(format)) * (whole(1) + relative);
}

Bound dot_bound_with_flush(std::uint64_t terms, const FloatFormat& format, const Dyadic& magnitude,
                           const Dyadic& lost) {
  const Bound rounding = dot_bound_any_order(terms, terms, format, magnitude);
  return *rounding + terms * smallest_normal(format) + lost;
}

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

Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format,
                 const Dyadic& root_error) {
  return root_bound({sum_of_squares, error}, format, root_error);
}

Bound norm_bound(const Dyadic& sum_of_squares, const Dyadic& error, const FloatFormat& format) {
  return norm_bound(sum_of_squares, error, format, unit_roundoff(format.precision));
}

Bound scaled_norm_bound(std::uint64_t terms, const Dyadic& sum_of_squares, const FloatFormat& format) {
  constexpr std::uint64_t roundings_a_term = 7, last_roundings = 2, ulps_a_term = 4;
  Bound relative = growth(roundings_a_term * terms + last_roundings, format.precision);
  if (!relative) return relative;
  // Squares of quotients, and rescaled sums, that underflow.
  const Dyadic lost = whole(terms) * whole(terms) * smallest_normal(format);
  return square_root(sum_of_squares, root_bits).high * (*relative + lost) +
         whole(ulps_a_term * terms) * smallest_subnormal(format);
}

}  // namespace foldproof
