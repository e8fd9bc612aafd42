// The key `where` of a contract: which elements a reduction uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/expression.h"
#include "oracles/formats.h"

namespace foldproof {

/// Clauses joined by "and". Of a floating-point element x, a clause compares it with a number, which is
/// rounded to the type of the element: "x > 0.5"; a NaN only satisfies !=. Of an integer, it is an expression
/// in x, and true unless it is 0: "x % 2 == 0".
class Condition {
 public:
  /// Throws InputError at `where` if the text is not a condition on such elements.
  static Condition parse(const std::string& text, Element element, const Position& where);

  /// Whether the element with those bits satisfies it. An integer of 2^63 or more does not, nor does one for
  /// which an expression has no value.
  bool holds(std::uint64_t bits) const;
  /// The bits of elements that decide it: the numbers in the text and their neighbours, as far as the type
  /// has them.
  std::vector<std::uint64_t> thresholds() const;
  const std::string& text() const { return text_; }

 private:
  struct Comparison {
    std::string_view op;  ///< one of those in condition.cpp
    double number = 0;
  };

  Element element_ = Element::f32;
  std::string text_;
  std::vector<Comparison> comparisons_;  ///< of floating-point elements
  std::vector<Expression> expressions_;  ///< of integers
};

}  // namespace foldproof
