#include "oracles/exact_total.h"

namespace foldproof {

void ExactTotal::add_term(const Term& term) {
  ++count_;
  specials_.add(term.category, term.negative);
  only_negative_zeros_ &= term.is_zero() && term.negative;
  if (term.is_finite() && !term.is_zero())
    (term.negative ? negative_ : positive_).add(term.significand, term.exponent);
}

void ExactTotal::merge(const ExactTotal& other) {
  count_ += other.count_;
  specials_.merge(other.specials_);
  only_negative_zeros_ &= other.only_negative_zeros_;
  positive_.add(other.positive_);
  negative_.add(other.negative_);
}

std::uint64_t ExactTotal::rounded(Element to) const {
  return rounded_sum(to, specials_, finite(), count_ != 0 && only_negative_zeros_);
}

std::partial_ordering operator<=>(const ExactTotal& a, const ExactTotal& b) {
  if (a.specials_.give_nan() || b.specials_.give_nan()) return std::partial_ordering::unordered;
  const auto side = [](const Specials& s) { return s.give_infinity() ? (s.positive_infinity ? 1 : -1) : 0; };
  const int side_a = side(a.specials_), side_b = side(b.specials_);
  return side_a != side_b || side_a != 0 ? side_a <=> side_b : a.finite() <=> b.finite();
}

}  // namespace foldproof
