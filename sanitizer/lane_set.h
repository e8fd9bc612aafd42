// Sets of lanes of a warp: one bit per lane, lane 0 is the lowest bit.
#pragma once

#include <bit>
#include <cstdint>

namespace foldproof {

using LaneSet = std::uint32_t;
inline constexpr unsigned lanes_per_warp = 32;
inline constexpr LaneSet all_lanes = ~LaneSet{0};

/// The set of one lane.
constexpr LaneSet bit(unsigned lane) { return LaneSet{1} << lane; }

constexpr bool contains(LaneSet lanes, unsigned lane) { return (lanes & bit(lane)) != 0; }

/// The set of lanes 0 … count - 1.
constexpr LaneSet lowest_lanes(unsigned count) {
  return count >= lanes_per_warp ? all_lanes : bit(count) - 1;
}

/// The lowest lane of a non-empty set.
constexpr unsigned first_lane(LaneSet lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

/// The highest lane of a non-empty set.
constexpr unsigned last_lane(LaneSet lanes) {
  return lanes_per_warp - 1 - static_cast<unsigned>(std::countl_zero(lanes));
}

/// Whether the lanes of a non-empty set are contiguous.
constexpr bool is_run(LaneSet lanes) {
  const LaneSet from_zero = lanes >> first_lane(lanes);
  return (from_zero & (from_zero + 1)) == 0;
}

constexpr std::uint32_t lane_count(LaneSet lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

/// Calls visit(lane) for each lane of the set, in ascending order.
template <class Visit>
constexpr void for_lanes(LaneSet lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(first_lane(lanes));
}

}  // namespace foldproof
