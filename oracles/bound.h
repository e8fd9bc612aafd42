// What a theorem says of an error: a bound that holds, or the condition that does not.
#pragma once

#include <string>
#include <utility>

#include "oracles/dyadic.h"

namespace foldproof {

/// Either a bound that holds for every run of the arithmetic that its function names, or a sentence that says
/// which condition fails. A judge may reject a value that lies beyond a bound; without one, it may not.
class Bound {
 public:
  /// A bound that holds.
  Bound(Dyadic value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// No bound: `why` is the condition that does not hold, as a sentence.
  static Bound none(std::string why) {
    Bound bound;
    bound.why_not_ = std::move(why);
    return bound;
  }

  explicit operator bool() const { return why_not_.empty(); }
  /// Only of a bound that holds.
  const Dyadic& operator*() const { return value_; }
  const Dyadic* operator->() const { return &value_; }
  /// Empty where the bound holds.
  const std::string& why_not() const { return why_not_; }

 private:
  Bound() = default;
  Dyadic value_;
  std::string why_not_;
};

/// The smaller of two bounds on one error: the one that holds, where only one does.
Bound sharper(Bound a, Bound b);

}  // namespace foldproof
