// Dot products and sums of squares without rounding.
#pragma once

#include <span>
#include <stdexcept>

#include "oracles/exact_sum.h"

namespace foldproof {

/// The exact sum of x[i] * y[i] for up to 2^64 pairs of the type T, and the exact sum of the products'
/// magnitudes. A sum of squares is the dot product of a vector with itself.
template <class T>
class ExactDot : public ExactTotal {
 public:
  static constexpr Element element = ElementOf<T>::value;

  ExactDot() : ExactTotal(element, 2) {}

  void add(T x, T y) { add_term(product(number_of_element(x), number_of_element(y))); }
  /// Both must have the same length; otherwise throws std::invalid_argument.
  void add(std::span<const T> x, std::span<const T> y) {
    if (x.size() != y.size())
      throw std::invalid_argument("a dot product needs two vectors of one length; cut the longer one");
    for (std::size_t i = 0; i < x.size(); ++i) add(x[i], y[i]);
  }
};

}  // namespace foldproof
