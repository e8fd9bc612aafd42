#include "oracles/references/exponential.h"

#include <algorithm>
#include <memory>

namespace foldproof {
namespace {

constexpr unsigned guard_bits = 64;  // for the rounding of up to 2^64 additions
constexpr std::int64_t negligible = 8192;

/// The finite elements and what else there is.
struct Terms {
  std::vector<Dyadic> finite;
  std::vector<std::size_t> places;  ///< of the finite ones in the input
  Dyadic max;
  bool nan = false, positive_infinity = false;
};

Terms terms_of(Element element, std::span<const std::byte> elements) {
  Terms terms;
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, elements, i));
    terms.nan |= x.is_nan();
    terms.positive_infinity |= x.is_infinite() && !x.negative;
    if (!x.is_finite()) continue;
    terms.finite.emplace_back(x);
    terms.places.push_back(i);
  }
  if (!terms.finite.empty()) terms.max = *std::max_element(terms.finite.begin(), terms.finite.end());
  return terms;
}

/// e^-gap, gap not negative. What is below 2^-11000 is of no consequence to any format, and stays short.
Enclosure decay(const Dyadic& gap, unsigned bits) {
  if (gap >= Dyadic(negligible, 0)) return {Dyadic{}, Dyadic::power_of_two(-11000)};
  return exponential(-gap, bits);
}

/// The sum of e^-(gap factor).
Enclosure sum_of_decays(const Terms& terms, const Dyadic& factor, unsigned bits) {
  Enclosure sum;
  for (const Dyadic& x : terms.finite)
    sum = shortened(sum + decay((terms.max - x) * factor, bits + guard_bits), bits + guard_bits);
  return sum;
}

const Dyadic one(1, 0);

}  // namespace

Reference log_sum_exp(Element element, std::span<const std::byte> elements) {
  auto terms = std::make_shared<const Terms>(terms_of(element, elements));
  if (terms->nan) return Reference::nan();
  if (terms->positive_infinity || terms->finite.empty())
    return Reference::infinity(!terms->positive_infinity);
  return Reference::real([terms](unsigned bits) {
    return Enclosure(terms->max) + logarithm(sum_of_decays(*terms, one, bits), bits);
  });
}

std::vector<Reference> softmax(Element element, std::span<const std::byte> row) {
  auto terms = std::make_shared<const Terms>(terms_of(element, row));
  std::vector<Reference> result(row.size() / size_of(element), Reference::nan());
  if (terms->nan || terms->positive_infinity || terms->finite.empty()) return result;
  std::ranges::fill(result, Reference::zero());  // of -inf
  // The sum that most elements are content with is computed once.
  auto usual = std::make_shared<const Enclosure>(sum_of_decays(*terms, one, 128));
  for (std::size_t i = 0; i < terms->finite.size(); ++i)
    result[terms->places[i]] = Reference::real([terms, usual, i](unsigned bits) {
      const Enclosure sum = bits <= 128 ? *usual : sum_of_decays(*terms, one, bits);
      return quotient(decay(terms->max - terms->finite[i], bits), sum, bits + guard_bits);
    });
  return result;
}

MaxAndSum max_and_sum(Element element, std::span<const std::byte> elements) {
  auto terms = std::make_shared<const Terms>(terms_of(element, elements));
  if (terms->nan) return {Reference::nan(), Reference::nan()};
  if (terms->positive_infinity) return {Reference::infinity(false), Reference::nan()};
  if (terms->finite.empty()) return {Reference::infinity(true), Reference::zero()};
  return {Reference::exactly(terms->max),
          Reference::real([terms](unsigned bits) { return sum_of_decays(*terms, one, bits); })};
}

MaxAndSum merged(const MaxAndSum& a, const MaxAndSum& b) {
  for (const MaxAndSum* part : {&a, &b})
    if (part->max.category() == Number::Category::nan) return *part;
  for (const auto& [part, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (part->max.is_finite()) continue;
    return part->max.negative() ? *other : *part;  // -inf adds nothing, +inf stays
  }
  const Dyadic max_a = a.max.enclosure().low, max_b = b.max.enclosure().low, max = std::max(max_a, max_b);
  return {Reference::exactly(max), Reference::real([=, sum_a = a.sum, sum_b = b.sum](unsigned bits) {
            const unsigned inner = bits + guard_bits;
            return shortened(sum_a.enclosure(inner) * decay(max - max_a, inner) +
                                 sum_b.enclosure(inner) * decay(max - max_b, inner),
                             inner);
          })};
}

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
