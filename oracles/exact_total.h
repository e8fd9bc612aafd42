// What all exact sums keep: both signs apart and without rounding, and what is not finite.
#pragma once

#include <compare>
#include <cstdint>

#include "oracles/dyadic.h"
#include "oracles/element.h"
#include "oracles/long_accumulator.h"
#include "oracles/specials.h"
#include "oracles/term.h"

namespace foldproof {

/// The exact sum of up to 2^64 terms, and the exact sum of their magnitudes. In which order they are added,
/// and in how many parts that are merged, makes no difference to any result.
class ExactTotal {
 public:
  /// Of products of so many elements.
  ExactTotal(Element element, int factors) : positive_(element, factors), negative_(positive_) {}

  void add_term(const Term& term);
  /// Another total of the same elements and as many factors.
  void merge(const ExactTotal& other);

  std::uint64_t count() const { return count_; }
  /// Beside a NaN, infinities need not be told: they make no difference.
  const Specials& specials() const { return specials_; }
  /// Of the finite terms: the magnitudes of each sign, the sum, and the sum of magnitudes.
  Dyadic positive() const { return positive_.total(); }
  Dyadic negative() const { return negative_.total(); }
  Dyadic finite() const { return positive() - negative(); }
  Dyadic magnitude() const { return positive() + negative(); }

  /// The sum of everything, rounded once to a format: to the nearest, ties to even; to an integer towards
  /// zero and no further than the end of its range. Empty gives +0; an exact zero is −0 where there are only
  /// −0, else +0.
  std::uint64_t rounded(Element to) const;

  /// Compares the sums as they are before any rounding; unordered where one is NaN.
  friend std::partial_ordering operator<=>(const ExactTotal& a, const ExactTotal& b);
  friend bool operator==(const ExactTotal& a, const ExactTotal& b) { return (a <=> b) == 0; }

 protected:
  std::uint64_t count_ = 0;
  Specials specials_;
  bool only_negative_zeros_ = true;  ///< so far
  LongAccumulator positive_, negative_;
};

}  // namespace foldproof
