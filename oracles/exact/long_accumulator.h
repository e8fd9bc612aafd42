// A sum as wide as all that may be added to it, so that nothing is ever rounded; and what is added: elements
// and products of two.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/dyadic.h"
#include "oracles/number.h"

namespace foldproof {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): -Wpedantic wants it so

/// Adds up magnitudes that are multiples of 2^lowest (Kulisch's long accumulator): any number of them up to
/// 2^64.
class LongAccumulator {
 public:
  /// For products of so many elements.
  LongAccumulator(Element element, int factors);

  /// significand * 2^exponent: no smaller than what the elements have, and no larger than 2^64 of them.
  void add(std::uint64_t significand, int exponent);
  void add(Wide significand, int exponent);
  /// Both of the same range.
  void add(const LongAccumulator& other);

  Dyadic total() const;

 private:
  void add_at(unsigned place, std::uint64_t significand);
  void carry();

  int lowest_ = 0;
  std::uint64_t additions_ = 0;        ///< since the digits were last below 2^32
  std::vector<std::uint64_t> digits_;  ///< of 32 bits and as many again for carries, lowest first
};

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

/// What a chunk of numbers adds to a sum.
struct SignedSums {
  LongAccumulator& positive;
  LongAccumulator& negative;
  Specials& specials;

  /// A significand of 64 or 128 bits, times 2^exponent.
  void add(bool is_negative, auto significand, int exponent) const {
    (is_negative ? negative : positive).add(significand, exponent);
  }
};

}  // namespace foldproof
