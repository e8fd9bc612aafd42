// Log-sum-exp and softmax of a row, from the exponentials that the checkers use.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "oracles/references/exponential.h"

namespace foldproof {

/// The properties of a row that decide its result without any exponential.
struct RowSpecials {
  bool nan = false, positive_infinity = false, any_finite = false;

  RowSpecials(Element element, std::span<const std::byte> row) {
    for (std::size_t i = 0; i < row.size() / size_of(element); ++i) {
      const Number x = decode(element, load(element, row, i));
      nan |= x.is_nan();
      positive_infinity |= x.is_infinite() && !x.negative;
      any_finite |= x.is_finite();
    }
  }
};

inline ExactExponentials exponentials_of(Element element, const std::vector<std::byte>& row, unsigned bits) {
  return {element, row, float_format(Element::f64).precision, bits, Difference::exact_if_possible};
}

/// ln of the sum of e^x: -inf for an empty row or one of only -inf, +inf if the row has +inf and no NaN.
inline Reference log_sum_exp(Element element, const std::vector<std::byte>& row) {
  const RowSpecials specials(element, row);
  if (specials.nan) return Reference::nan();
  if (specials.positive_infinity || !specials.any_finite)
    return Reference::infinity(!specials.positive_infinity);
  return Reference::real(
      [=](unsigned bits) { return exponentials_of(element, row, bits).logarithm_of_sum(); });
}

/// e^x_i divided by the sum. If the formula with the maximum is not finite, all are NaN: for a NaN or +inf,
/// and for a row of only -inf.
inline std::vector<Reference> softmax(Element element, const std::vector<std::byte>& row) {
  const RowSpecials specials(element, row);
  std::vector<Reference> shares(row.size() / size_of(element), Reference::nan());
  if (specials.nan || specials.positive_infinity || !specials.any_finite) return shares;
  // The exponentials at the precision that suffices for most elements are computed once.
  const auto usual = std::make_shared<const ExactExponentials>(exponentials_of(element, row, 128));
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i] = Reference::real([=](unsigned bits) {
      return bits <= 128 ? usual->share(i) : exponentials_of(element, row, bits).share(i);
    });
  return shares;
}

}  // namespace foldproof
