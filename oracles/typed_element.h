// The C++ types that hold elements, for sums of spans of them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "oracles/number.h"

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

}  // namespace foldproof
