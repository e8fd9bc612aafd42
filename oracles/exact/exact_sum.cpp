// Numbers are added to bins, where the additions of one chunk are exact; a chunk's bins are added to the long
// accumulators.
#include "oracles/exact_sum.h"

#include <algorithm>
#include <type_traits>

#include "oracles/exact/code_bins.h"
#include "oracles/exact/double_bins.h"
#include "oracles/exact/integer_sums.h"

namespace foldproof {
namespace {

template <class T>
using BinsOf =
    std::conditional_t<std::is_same_v<T, double>, DoubleBins,
                       typename std::conditional_t<std::is_integral_v<T>, std::type_identity<IntegerSums<T>>,
                                                   std::type_identity<CodeBins<T>>>::type>;

}  // namespace

template <class T>
void ExactSum<T>::add(std::span<const T> values) {
  using Bins = BinsOf<T>;
  const SignedSums part{positive_, negative_, specials_};
  Bins bins;
  count_ += values.size();
  while (!values.empty()) {
    const std::size_t size = std::min(values.size(), Bins::most);
    only_negative_zeros_ &= bins.add(values.first(size), part);
    values = values.subspan(size);
  }
}

template class ExactSum<double>;
template class ExactSum<float>;
template class ExactSum<Coded<Element::f16>>;
template class ExactSum<Coded<Element::bf16>>;
template class ExactSum<Coded<Element::e4m3>>;
template class ExactSum<Coded<Element::e5m2>>;
template class ExactSum<Coded<Element::e2m1>>;
template class ExactSum<std::int8_t>;
template class ExactSum<std::uint8_t>;
template class ExactSum<std::int16_t>;
template class ExactSum<std::uint16_t>;
template class ExactSum<std::int32_t>;
template class ExactSum<std::uint32_t>;
template class ExactSum<std::int64_t>;
template class ExactSum<std::uint64_t>;

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
