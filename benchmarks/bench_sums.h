// The ways of summing that `foldproof-lab bench oracles` compares. Each takes elements of type T and returns
// something that depends on all of them.
#pragma once

#include <array>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <memory>
#include <span>
#include <type_traits>

#include "oracles/exact_sum.h"
#include "oracles/number.h"
#if FOLDPROOF_HAS_MPFR
#include <mpfr.h>
#endif

namespace foldproof {

template <class T>
concept NarrowFloat = !std::is_arithmetic_v<T>;

/// The type in which a program would sum elements: float for narrow formats, 64 bits for integers.
template <class T>
using Running = std::conditional_t<NarrowFloat<T>, float,
                                   std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>>;

/// Converts an element to the type of its running sum: narrow formats by a table of all codes.
template <class T>
class Widen {
 public:
  Widen() {
    if constexpr (NarrowFloat<T>)
      for (std::size_t code = 0; code < table_.size(); ++code)
        table_[code] = static_cast<float>(to_double(decode(ElementOf<T>::value, code)));
  }
  Running<T> operator()(T element) const {
    if constexpr (NarrowFloat<T>)
      return table_[element.bits];
    else
      return static_cast<Running<T>>(element);
  }

 private:
  std::array<float, NarrowFloat<T> ? std::size_t{1} << 8 * sizeof(T) : 0> table_;
};

template <class T>
Running<T> plain_sum(std::span<const T> elements, const Widen<T>& widen) {
  Running<T> sum = 0;
  for (const T element : elements) sum += widen(element);
  return sum;
}

/// Kahan's compensated sum.
template <class T>
Running<T> kahan_sum(std::span<const T> elements, const Widen<T>& widen) {
  Running<T> sum = 0, lost = 0;
  for (const T element : elements) {
    const Running<T> term = widen(element) - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

template <class T>
std::uint64_t exact_sum(std::span<const T> elements) {
  ExactSum<T> sum;
  sum.add(elements);
  return sum.rounded(ElementOf<T>::value);
}

/// 100 decimal digits: enough for well-behaved data, far too few for arbitrary data.
template <class T>
double bin_float_sum(std::span<const T> elements, const Widen<T>& widen) {
  boost::multiprecision::cpp_bin_float_100 sum = 0;
  for (const T element : elements) {
    if constexpr (std::is_integral_v<T>)
      sum += element;
    else
      sum += widen(element);
  }
  return static_cast<double>(sum);
}

#if FOLDPROOF_HAS_MPFR
/// mpfr_sum() of elements that were converted beforehand, rounded once to 53 bits.
class MpfrSum {
 public:
  template <class T>
  MpfrSum(std::span<const T> elements, const Widen<T>& widen)
      : numbers_(elements.size()), pointers_(elements.size()) {
    constexpr mpfr_prec_t all_bits = 64;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      mpfr_init2(&numbers_[i], all_bits);
      if constexpr (std::is_integral_v<T>)
        mpfr_set_ld(&numbers_[i], static_cast<long double>(elements[i]), MPFR_RNDN);
      else
        mpfr_set_d(&numbers_[i], widen(elements[i]), MPFR_RNDN);
      pointers_[i] = &numbers_[i];
    }
  }
  ~MpfrSum() {
    for (auto& number : numbers_) mpfr_clear(&number);
  }
  MpfrSum(const MpfrSum&) = delete;
  MpfrSum& operator=(const MpfrSum&) = delete;

  double sum() {
    mpfr_t result;
    mpfr_init2(result, 53);
    mpfr_sum(result, pointers_.data(), pointers_.size(), MPFR_RNDN);
    const double value = mpfr_get_d(result, MPFR_RNDN);
    mpfr_clear(result);
    return value;
  }

 private:
  std::vector<__mpfr_struct> numbers_;
  std::vector<mpfr_ptr> pointers_;
};
#endif

}  // namespace foldproof
