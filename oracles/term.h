// What sums are made of: elements, and products of two.
#pragma once

#include "oracles/long_accumulator.h"
#include "oracles/number.h"

namespace foldproof {

/// A value to add, of as many bits as a product of two elements has.
struct Term {
  Number::Category category = Number::Category::finite;
  bool negative = false;
  Wide significand = 0;
  int exponent = 0;

  bool is_finite() const { return category == Number::Category::finite; }
  bool is_zero() const { return is_finite() && significand == 0; }
};

inline Term term_of(const Number& x) { return {x.category, x.negative, x.significand, x.exponent}; }

/// The exact product, as IEEE 754 has it: infinity times zero is NaN, and zeros have the product's sign.
Term product(const Number& a, const Number& b);

}  // namespace foldproof
