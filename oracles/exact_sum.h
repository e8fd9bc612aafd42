// Sums of floating-point numbers without any rounding, about as fast as a loop that rounds every step.
#pragma once

#include <span>

#include "oracles/exact_total.h"
#include "oracles/typed_element.h"

namespace foldproof {

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
