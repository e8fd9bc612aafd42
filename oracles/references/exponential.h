// Log-sum-exp and softmax: exact exponentials relative to the maximum.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "oracles/bounds/exponential.h"
#include "oracles/references/reference.h"

namespace foldproof {

/// The exponentials, each computed once, for checks that need all of them and their bounds. Only for inputs
/// without NaN and +inf that are not all -inf.
class ExactExponentials {
 public:
  /// Correct to about `bits` bits. `precision`: the bits to which the checked kernel rounds x_i - max.
  ExactExponentials(Element element, std::span<const std::byte> elements, int precision, unsigned bits,
                    Difference difference);

  const ExponentialSums& sums() const { return sums_; }
  const Dyadic& max() const { return max_; }
  /// max - x_i; nothing for -inf.
  const std::optional<Dyadic>& gap(std::size_t i) const { return gaps_[i]; }
  /// e^x_i divided by the sum of all.
  Enclosure share(std::size_t i) const;
  /// ln of the sum of all e^x_i.
  Enclosure logarithm_of_sum() const;

 private:
  unsigned bits_;
  Dyadic max_;
  std::vector<std::optional<Dyadic>> gaps_;
  std::vector<Enclosure> decays_;  ///< e^-gap
  ExponentialSums sums_;
};

}  // namespace foldproof
