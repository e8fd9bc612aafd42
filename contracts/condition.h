// The key `where` of a contract: which elements a reduction uses.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/expression.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {

/// Clauses joined by "and". A clause compares the element x with a number: "x > 0.5", "x <= 2^31". If x is a
/// floating-point number, the number is rounded to its type, and a NaN only satisfies !=. If x is an integer
/// other than a u64, a clause may also be an expression in x, which is true unless it is 0: "x % 2 == 0".
class Condition {
 public:
  /// Throws InputError at `where` if the text is not a condition on such elements.
  static Condition parse(const std::string& text, Element element, const Position& where);

  /// Whether the element with those bits satisfies it. Throws InputError if an expression has no value.
  bool holds(std::uint64_t bits) const;
  /// Whether it depends on the type in which a kernel compares the element with the number: that of the
  /// element, to which the number is rounded, or a wider one.
  bool is_ambiguous(std::uint64_t bits) const;
  /// The bits of elements that decide it: the numbers in the text and their neighbours, as far as the type
  /// has them.
  std::vector<std::uint64_t> thresholds() const;
  const std::string& text() const { return text_; }

 private:
  struct Comparison {
    bool (*holds)(std::partial_ordering order);
    Number number;  ///< rounded to the type of the element
    bool is_rounded = false;
  };

  Element element_ = Element::f32;
  std::string text_;
  std::vector<Comparison> comparisons_;
  std::vector<Expression> expressions_;
};

}  // namespace foldproof
