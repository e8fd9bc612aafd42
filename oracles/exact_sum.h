// Sums of elements without any rounding, about as fast as a loop that rounds every step.
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

/// The exact sum of up to 2^64 terms, and the exact sum of their magnitudes. In which order they are added,
/// and in how many parts that are merged, makes no difference to any result.
class ExactTotal {
 public:
  /// Of products of so many elements.
  ExactTotal(Element element, int factors) : positive_(element, factors), negative_(positive_) {}

  void add_term(const Term& term);
  /// Another total of the same elements and as many factors.
  void merge(const ExactTotal& other);

  std::uint64_t count() const { return count_; }
  /// Beside a NaN, infinities need not be told: they make no difference.
  const Specials& specials() const { return specials_; }
  /// Of the finite terms: the magnitudes of each sign, the sum, and the sum of magnitudes.
  Dyadic positive() const { return positive_.total(); }
  Dyadic negative() const { return negative_.total(); }
  Dyadic finite() const { return positive() - negative(); }
  Dyadic magnitude() const { return positive() + negative(); }

  /// The sum of everything, rounded once to a format: to the nearest, ties to even; to an integer towards
  /// zero and no further than the end of its range. Empty gives +0; an exact zero is −0 where there are only
  /// −0, else +0.
  std::uint64_t rounded(Element to) const;

  /// Compares the sums as they are before any rounding; unordered where one is NaN.
  friend std::partial_ordering operator<=>(const ExactTotal& a, const ExactTotal& b);
  friend bool operator==(const ExactTotal& a, const ExactTotal& b) { return (a <=> b) == 0; }

 protected:
  std::uint64_t count_ = 0;
  Specials specials_;
  bool only_negative_zeros_ = true;  ///< so far
  LongAccumulator positive_, negative_;
};

/// The bits of a number of a narrow floating-point format, for which C++ has no type.
template <Element element>
struct Coded {
  std::conditional_t<element == Element::f16 || element == Element::bf16, std::uint16_t, std::uint8_t> bits =
      0;
};

/// The element that a C++ type holds: double, float, Coded<…>, and the integers of 8 to 64 bits.
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

/// The exact sum of up to 2^64 numbers of the type T, and of their magnitudes.
template <class T>
class ExactSum : public ExactTotal {
 public:
  static constexpr Element element = ElementOf<T>::value;

  ExactSum() : ExactTotal(element, 1) {}

  void add(T value) { add_term(term_of(number_of_element(value))); }
  void add(std::span<const T> values);
};

}  // namespace foldproof
