// How relative errors of many operations multiply.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/bound.h"

namespace foldproof {

/// How an operation chooses between the two values of the format next to its exact result.
enum class Rounding : std::uint8_t {
  nearest,   ///< the nearer one
  faithful,  ///< either: truncation, rounding up, stochastic rounding
};

/// So many operations in a format of this precision.
struct Roundings {
  std::uint64_t steps = 0;
  int precision = 0;
};

/// (1 + v)^steps - 1, rounded up: the largest relative change that so many operations make, one after the
/// other. v is u' for rounding to nearest and 2u for faithful rounding. No bound where it is so large that it
/// says nothing (steps * u beyond 32).
Bound growth(std::uint64_t steps, int precision, Rounding rounding = Rounding::nearest);

/// The same of operations in several formats.
Bound growth(std::span<const Roundings> path, Rounding rounding = Rounding::nearest);

}  // namespace foldproof
