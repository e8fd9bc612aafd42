#include "oracles/term.h"

namespace foldproof {

Term product(const Number& a, const Number& b) {
  using Category = Number::Category;
  Term term;
  term.negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite())) {
    term.category = Category::nan;
  } else if (a.is_infinite() || b.is_infinite()) {
    term.category = Category::infinity;
  } else if (!a.is_zero() && !b.is_zero()) {
    term.significand = Wide{a.significand} * b.significand;
    term.exponent = a.exponent + b.exponent;
  }
  return term;
}

}  // namespace foldproof
