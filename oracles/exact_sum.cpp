// Numbers go to bins, where additions are exact for as many as a chunk has; a chunk's bins go to the long
// accumulators.
#include "oracles/exact_sum.h"

#include <algorithm>
#include <type_traits>

#include "oracles/exact_sums/code_bins.h"
#include "oracles/exact_sums/double_bins.h"
#include "oracles/exact_sums/integer_sums.h"

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
  const Part part{positive_, negative_, specials_};
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

}  // namespace foldproof
