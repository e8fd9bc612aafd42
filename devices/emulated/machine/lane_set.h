// Sets of lanes: one bit a lane, lane 0 the lowest.
#pragma once

#include <bit>
#include <cstdint>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::machine {

using isa::LaneMask;

/// The set of one lane.
constexpr LaneMask bit(unsigned lane) { return LaneMask{1} << lane; }

constexpr bool contains(LaneMask lanes, unsigned lane) { return (lanes & bit(lane)) != 0; }

/// The set of lanes 0 … count - 1.
constexpr LaneMask lowest_lanes(unsigned count) {
  return count >= isa::warp_size ? isa::all_lanes : bit(count) - 1;
}

/// The lowest lane of a set that is not empty.
constexpr unsigned first_lane(LaneMask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

constexpr std::uint32_t lane_count(LaneMask lanes) {
  return static_cast<std::uint32_t>(std::popcount(lanes));
}

/// Calls visit(lane) for each lane of the set, from the lowest.
template <class Visit>
constexpr void for_lanes(LaneMask lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(first_lane(lanes));
}

}  // namespace foldproof::machine
