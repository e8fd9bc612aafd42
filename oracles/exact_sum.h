// Sums of floating-point numbers without any rounding, about as fast as a loop that rounds every step.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "oracles/dyadic.h"
#include "oracles/element.h"
#include "oracles/long_accumulator.h"
#include "oracles/specials.h"

namespace foldproof {

/// The bits of a number of a narrow floating-point format, for which C++ has no type.
template <Element element>
struct Coded {
  std::conditional_t<element == Element::f16 || element == Element::bf16, std::uint16_t, std::uint8_t> bits =
      0;
};

/// The element that a C++ type holds: double, float, Coded<…>, and the integers of 8 to 64 bits.
template <class T>
struct ElementOf;

/// The exact sum of up to 2^64 numbers of the type T, and the exact sum of their magnitudes. In which order
/// they are added, and in how many parts that are merged, makes no difference to any result.
template <class T>
class ExactSum {
 public:
  static constexpr Element element = ElementOf<T>::value;

  ExactSum();

  void add(T value) { add(std::span<const T>(&value, 1)); }
  void add(std::span<const T> values);
  void merge(const ExactSum& other);

  std::uint64_t count() const { return count_; }
  /// Beside a NaN, infinities need not be told: they make no difference.
  const Specials& specials() const { return specials_; }
  /// Of the finite values: the sum, and the sum of magnitudes.
  Dyadic finite() const { return positive_.total() - negative_.total(); }
  Dyadic magnitude() const { return positive_.total() + negative_.total(); }

  /// The sum of everything, rounded once to a format, ties to even; an integer stays at the end of its range.
  /// Empty gives +0; an exact zero is −0 where there are only −0, else +0.
  std::uint64_t rounded(Element to) const;

  /// Compares the sums as they are before any rounding; unordered where one is NaN.
  friend std::partial_ordering operator<=>(const ExactSum& a, const ExactSum& b) {
    return compare(a.specials_, a.finite(), b.specials_, b.finite());
  }
  friend bool operator==(const ExactSum& a, const ExactSum& b) { return (a <=> b) == 0; }

 private:
  static std::partial_ordering compare(const Specials& a, const Dyadic& x, const Specials& b,
                                       const Dyadic& y);

  std::uint64_t count_ = 0;
  Specials specials_;
  bool only_negative_zeros_ = true;  ///< so far
  LongAccumulator positive_, negative_;
};

template <>
struct ElementOf<double> {
  static constexpr Element value = Element::f64;
};
template <>
struct ElementOf<float> {
  static constexpr Element value = Element::f32;
};
template <Element element>
struct ElementOf<Coded<element>> {
  static constexpr Element value = element;
};
#define FOLDPROOF_INTEGER(type, element)               \
  template <>                                          \
  struct ElementOf<type> {                             \
    static constexpr Element value = Element::element; \
  }
FOLDPROOF_INTEGER(std::int8_t, i8);
FOLDPROOF_INTEGER(std::uint8_t, u8);
FOLDPROOF_INTEGER(std::int16_t, i16);
FOLDPROOF_INTEGER(std::uint16_t, u16);
FOLDPROOF_INTEGER(std::int32_t, i32);
FOLDPROOF_INTEGER(std::uint32_t, u32);
FOLDPROOF_INTEGER(std::int64_t, i64);
FOLDPROOF_INTEGER(std::uint64_t, u64);
#undef FOLDPROOF_INTEGER

}  // namespace foldproof
