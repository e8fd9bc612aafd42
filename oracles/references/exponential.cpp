#include "oracles/references/exponential.h"

#include <algorithm>

namespace foldproof {
namespace {

constexpr unsigned guard_bits = 64;  // for the rounding of up to 2^64 additions
constexpr std::int64_t negligible = 8192;

/// The finite elements.
struct Terms {
  std::vector<Dyadic> finite;
  std::vector<std::size_t> places;  ///< indices of the finite elements in the input
  Dyadic max;
};

Terms terms_of(Element element, std::span<const std::byte> elements) {
  Terms terms;
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, elements, i));
    if (!x.is_finite()) continue;
    terms.finite.emplace_back(x);
    terms.places.push_back(i);
  }
  if (!terms.finite.empty()) terms.max = *std::max_element(terms.finite.begin(), terms.finite.end());
  return terms;
}

/// e^-gap, for a nonnegative gap. Values below 2^-11000 do not matter to any format and stay short.
Enclosure decay(const Dyadic& gap, unsigned bits) {
  if (gap >= Dyadic(negligible, 0)) return {Dyadic{}, Dyadic::power_of_two(-11000)};
  return exponential(-gap, bits);
}

}  // namespace

ExactExponentials::ExactExponentials(Element element, std::span<const std::byte> elements, int precision,
                                     unsigned bits)
    : bits_(bits) {
  const Terms terms = terms_of(element, elements);
  max_ = terms.max;
  gaps_.resize(elements.size() / size_of(element));
  decays_.resize(gaps_.size());
  Enclosure sum, inflated;
  for (std::size_t k = 0; k < terms.finite.size(); ++k) {
    const std::size_t i = terms.places[k];
    const Dyadic gap = max_ - terms.finite[k];
    decays_[i] = decay(gap, bits);
    const Enclosure moved = decays_[i] * Enclosure(drift_factor(gap, precision));
    sum = shortened(sum + decays_[i], bits + guard_bits);
    inflated = shortened(inflated + moved, bits + guard_bits);
    gaps_[i] = gap;
  }
  sums_ = {terms.finite.size(), sum.low, sum.high, inflated.high};
}

Enclosure ExactExponentials::share(std::size_t i) const {
  return quotient(decays_[i], {sums_.sum_low, sums_.sum_high}, bits_ + guard_bits);
}

Enclosure ExactExponentials::logarithm_of_sum() const {
  return Enclosure(max_) + logarithm({sums_.sum_low, sums_.sum_high}, bits_);
}

}  // namespace foldproof
