// What an input contains, whichever distribution generated it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "contracts/contract.h"

namespace foldproof {

/// For floating-point elements; empty for others.
struct InputFacts {
  bool nan = false, infinity = false, minus_infinity = false, zero = false, minus_zero = false;
  bool subnormal = false;
  /// For a finite sum, its condition number k = sum |x| / |sum x| as d with 10^d <= k < 10^(d+1), at most
  /// 308; the largest int if the sum is zero and the elements are not. Absent for other operators.
  std::optional<int> decade;
};

/// `input`: elements of the instance's input type.
InputFacts facts_of(const Instance& instance, std::span<const std::byte> input);

}  // namespace foldproof
