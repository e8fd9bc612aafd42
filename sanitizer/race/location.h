// An address in global memory or in the shared memory of a block, and operations on maps keyed by it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>

#include "sanitizer/observer.h"

namespace foldproof {

struct Location {
  static constexpr BlockNumber no_owner = ~BlockNumber{0};

  BlockNumber owner = no_owner;  ///< the block whose shared memory it is; no_owner for global memory
  std::uint64_t address = 0;
  auto operator<=>(const Location&) const = default;
};

inline Location location_of(const AccessEvent& event, unsigned lane) {
  const BlockNumber owner = !event.shared ? Location::no_owner
                            : event.owner ? event.owner[lane]
                                          : event.warp.block;
  return {owner, event.at[lane]};
}

/// Removes the entries of a map by Location that an access of `bytes` overlaps, except those that satisfy
/// `is_spared`. The map's values give the `bytes` of each entry.
template <class Map, class IsSpared>
void erase_overlapping(Map& map, const Location& location, std::uint32_t bytes, const IsSpared& is_spared) {
  constexpr std::uint64_t widest = 16;
  auto at = map.lower_bound({location.owner, location.address - std::min(location.address, widest)});
  const auto end = map.lower_bound({location.owner, location.address + bytes});
  while (at != end) {
    const bool overlaps = at->first.address + at->second.bytes > location.address;
    at = overlaps && !is_spared(*at) ? map.erase(at) : std::next(at);
  }
}

/// Removes all entries in a block's shared memory.
template <class Map>
void erase_shared(Map& map, BlockNumber block) {
  map.erase(map.lower_bound({block, 0}), map.lower_bound({block + 1, 0}));
}

}  // namespace foldproof
