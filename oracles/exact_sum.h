// Sums of elements without any rounding, at about the speed of a loop that rounds every step.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <type_traits>

#include "oracles/dyadic.h"
#include "oracles/exact/long_accumulator.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {

/// The exact sum of up to 2^64 terms and of their magnitudes. The results do not depend on the order of the
/// terms or on how they were divided into totals that are merged.
class ExactTotal {
 public:
  /// For products of `factors` elements.
  ExactTotal(Element element, int factors) : positive_(element, factors), negative_(positive_) {}

  void add_term(const Term& term);
  /// `other` must have the same element and number of factors.
  void merge(const ExactTotal& other);

  std::uint64_t count() const { return count_; }
  /// If there is a NaN, infinities may be missing: they make no difference.
  const Specials& specials() const { return specials_; }
  /// For the finite terms: the magnitudes of each sign, the sum, and the sum of magnitudes.
  Dyadic positive() const { return positive_.total(); }
  Dyadic negative() const { return negative_.total(); }
  Dyadic finite() const { return positive() - negative(); }
  Dyadic magnitude() const { return positive() + negative(); }

  /// The sum of all terms, rounded once to a format: to nearest, ties to even; to integers towards zero, with
  /// saturation. An empty sum is +0; an exact zero is −0 if all terms are −0, otherwise +0.
  std::uint64_t rounded(Element to) const;

  /// Compares the unrounded sums; unordered if either is NaN.
  friend std::partial_ordering operator<=>(const ExactTotal& a, const ExactTotal& b);
  friend bool operator==(const ExactTotal& a, const ExactTotal& b) { return (a <=> b) == 0; }

 protected:
  std::uint64_t count_ = 0;
  Specials specials_;
  bool only_negative_zeros_ = true;  ///< so far
  LongAccumulator positive_, negative_;
};

/// The bits of a value in a narrow floating-point format for which C++ has no type.
template <Element element>
struct Coded {
  std::conditional_t<element == Element::f16 || element == Element::bf16, std::uint16_t, std::uint8_t> bits =
      0;
};

/// The element type of a C++ type: double, float, Coded<…>, and the integers of 8 to 64 bits.
template <class T>
struct ElementOf;

#define FOLDPROOF_ELEMENT(type, element)               \
  template <>                                          \
  struct ElementOf<type> {                             \
    static constexpr Element value = Element::element; \
  }
FOLDPROOF_ELEMENT(double, f64);
FOLDPROOF_ELEMENT(float, f32);
FOLDPROOF_ELEMENT(std::int8_t, i8);
FOLDPROOF_ELEMENT(std::uint8_t, u8);
FOLDPROOF_ELEMENT(std::int16_t, i16);
FOLDPROOF_ELEMENT(std::uint16_t, u16);
FOLDPROOF_ELEMENT(std::int32_t, i32);
FOLDPROOF_ELEMENT(std::uint32_t, u32);
FOLDPROOF_ELEMENT(std::int64_t, i64);
FOLDPROOF_ELEMENT(std::uint64_t, u64);
#undef FOLDPROOF_ELEMENT
template <Element element>
struct ElementOf<Coded<element>> {
  static constexpr Element value = element;
};

template <class T>
Number number_of_element(T value) {
  constexpr Element element = ElementOf<T>::value;
  if constexpr (std::is_same_v<T, double>)
    return decode(element, std::bit_cast<std::uint64_t>(value));
  else if constexpr (std::is_same_v<T, float>)
    return decode(element, std::bit_cast<std::uint32_t>(value));
  else if constexpr (std::is_integral_v<T>)
    return decode(element, static_cast<std::uint64_t>(value));
  else
    return decode(element, value.bits);
}

/// The exact sum of up to 2^64 numbers of type T, and of their magnitudes.
template <class T>
class ExactSum : public ExactTotal {
 public:
  static constexpr Element element = ElementOf<T>::value;

  ExactSum() : ExactTotal(element, 1) {}

  void add(T value) { add_term(term_of(number_of_element(value))); }
  void add(std::span<const T> values);
};

}  // namespace foldproof
