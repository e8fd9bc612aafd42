#include "oracles/references/exponential.h"

namespace foldproof {
namespace {

constexpr std::int64_t negligible = 8192;

/// e^-gap, for a nonnegative gap. Values below 2^-11000 do not matter to any format and stay short.
Enclosure decay(const Dyadic& gap, unsigned bits) {
  if (gap >= Dyadic(negligible, 0)) return {Dyadic{}, Dyadic::power_of_two(-11000)};
  return exponential(-gap, bits);
}

}  // namespace

ExactExponentials::ExactExponentials(Element element, std::span<const std::byte> elements, int precision,
                                     unsigned bits, Difference difference)
    : bits_(bits), gaps_(elements.size() / size_of(element)), decays_(gaps_.size()) {
  std::vector<std::optional<Dyadic>> finite(gaps_.size());
  for (std::size_t i = 0; i < finite.size(); ++i) {
    const Number x = decode(element, load(element, elements, i));
    if (!x.is_finite()) continue;
    finite[i] = Dyadic(x);
    if (sums_.count++ == 0 || *finite[i] > max_) max_ = *finite[i];
  }
  Enclosure sum, inflated, weighted;
  for (std::size_t i = 0; i < finite.size(); ++i) {
    if (!finite[i]) continue;
    gaps_[i] = max_ - *finite[i];
    decays_[i] = decay(*gaps_[i], bits);
    const Enclosure moved = decays_[i] * Enclosure(drift_factor(*gaps_[i], precision, difference));
    sum = shortened(sum + decays_[i], bits + sum_guard_bits);
    inflated = shortened(inflated + moved, bits + sum_guard_bits);
    weighted = shortened(weighted + moved * Enclosure(*gaps_[i]), bits + sum_guard_bits);
  }
  sums_ = {sums_.count, sum.low, sum.high, inflated.high, weighted.high};
}

Enclosure ExactExponentials::share(std::size_t i) const {
  return quotient(decays_[i], {sums_.sum_low, sums_.sum_high}, bits_ + sum_guard_bits);
}

Enclosure ExactExponentials::logarithm_of_sum() const {
  return Enclosure(max_) + logarithm({sums_.sum_low, sums_.sum_high}, bits_);
}

}  // namespace foldproof
