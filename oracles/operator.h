// What a reduction combines its elements with.
#pragma once

#include <cstdint>

#include "oracles/element.h"

namespace foldproof {

enum class Operator : std::uint8_t { sum, prod, min, max };

constexpr bool is_extremum(Operator op) { return op == Operator::min || op == Operator::max; }

/// What a NaN in the input does to the result.
enum class NanPolicy : std::uint8_t { propagate, ignore, unspecified };

/// The element that changes nothing: 0, 1, the largest or the smallest value of the type (an infinity where
/// the type has one), as bits.
std::uint64_t identity(Operator op, Element element);

}  // namespace foldproof
