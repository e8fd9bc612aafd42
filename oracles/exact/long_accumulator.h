// An accumulator wide enough that no sum is ever rounded, and the terms added to it: elements and products of
// two elements.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/dyadic.h"
#include "oracles/number.h"

namespace foldproof {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): required by -Wpedantic

/// Adds up to 2^64 magnitudes that are multiples of 2^lowest (Kulisch's long accumulator).
class LongAccumulator {
 public:
  /// For products of `factors` elements.
  LongAccumulator(Element element, int factors);

  /// Adds significand * 2^exponent: not below the elements' lowest place, and at most the sum of 2^64
  /// elements.
  void add(std::uint64_t significand, int exponent);
  void add(Wide significand, int exponent);
  /// Both must have the same range.
  void add(const LongAccumulator& other);

  Dyadic total() const;

 private:
  void add_at(unsigned place, std::uint64_t significand);
  void carry();

  int lowest_ = 0;
  std::uint64_t additions_ = 0;        ///< since the digits were last below 2^32
  std::vector<std::uint64_t> digits_;  ///< 32 bits each, plus 32 bits for carries, lowest first
};

/// A value to add, wide enough for the product of two elements.
struct Term {
  Number::Category category = Number::Category::finite;
  bool negative = false;
  Wide significand = 0;
  int exponent = 0;

  bool is_finite() const { return category == Number::Category::finite; }
  bool is_zero() const { return is_finite() && significand == 0; }
};

inline Term term_of(const Number& x) { return {x.category, x.negative, x.significand, x.exponent}; }

/// The exact product, following IEEE 754: infinity times zero is NaN, and zeros have the product's sign.
Term product(const Number& a, const Number& b);

/// The accumulators to which a chunk of numbers is added.
struct SignedSums {
  LongAccumulator& positive;
  LongAccumulator& negative;
  Specials& specials;

  /// Adds a significand of 64 or 128 bits, times 2^exponent.
  void add(bool is_negative, auto significand, int exponent) const {
    (is_negative ? negative : positive).add(significand, exponent);
  }
};

}  // namespace foldproof
