// A run's arithmetic done once more on the host, exactly and with one rounding each.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/expressions.h"

namespace foldproof {

struct Replay {
  std::uint64_t operations = 0;   ///< that were done again
  std::optional<NodeId> differs;  ///< the first whose bits are not those of the run
};

/// Does again, from its operands' values, every sum, difference, product, fma and extremum, and every
/// conversion to floating point, that rounds to nearest, flushes nothing and does not saturate. NaN are equal
/// whatever their payload.
Replay replay(const Expressions& expressions);

}  // namespace foldproof
