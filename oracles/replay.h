// Replays a run's arithmetic on the host: exactly, with one rounding per operation.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/expressions.h"

namespace foldproof {

struct Replay {
  std::uint64_t operations = 0;   ///< that were replayed
  std::optional<NodeId> differs;  ///< the first whose bits differ from those of the run
};

/// Recomputes, from its operands' values, every sum, difference, product, fma and extremum, and every
/// conversion to floating point, that rounds to nearest, flushes nothing and does not saturate. NaNs are
/// equal whatever their payloads.
Replay replay(const Expressions& expressions);

}  // namespace foldproof
