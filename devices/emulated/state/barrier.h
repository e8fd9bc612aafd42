// One of the sixteen barriers of a block: who has come to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

/// Arrivals count by whole warps: a warp has arrived as often as each of its lanes that have not exited, and
/// a warp that ended as often as any of its lanes. bar.arrive does not wait, so a warp may arrive again, and
/// some of its lanes before others.
struct Arrivals {
  std::uint32_t of_warp = 0;         ///< how often the warp has come as a whole
  std::vector<isa::LaneMask> ahead;  ///< lanes that have come once more than the warp, twice more …

  void come(isa::LaneMask lanes, isa::LaneMask exited) {
    if (ahead.empty() && (lanes | exited) == isa::all_lanes) {
      ++of_warp;
      return;
    }
    for (std::size_t level = 0; lanes != 0; ++level) {
      if (level == ahead.size()) ahead.push_back(0);
      const isa::LaneMask again = ahead[level] & lanes;
      ahead[level] |= lanes;
      lanes = again;
    }
    settle(exited);
  }

  /// Counts those levels that the exited lanes leave nobody to wait for.
  void settle(isa::LaneMask exited) {
    while (!ahead.empty() && (ahead.front() | exited) == isa::all_lanes) {
      ahead.erase(ahead.begin());
      ++of_warp;
    }
  }
};

/// Whole warps that arrived alike to wait, and whose arrival observers have not seen yet (events/events.h).
struct PendingArrivals {
  std::uint32_t warps = 0;  ///< bit w: warp w
  const isa::Instruction* at = nullptr;
  std::uint32_t threads = 0;  ///< how many they want to wait for
};

struct Barrier {
  std::vector<Arrivals> arrivals;  ///< by warp
  std::size_t first_missing = 0;   ///< warps before have come or ended
  PendingArrivals pending;
  std::uint32_t threads = 0;  ///< how many are waited for; 0: all of the block
  std::uint32_t true_count = 0,
                vote_count = 0;  ///< barrier.red: lanes that came with a true predicate, and all

  void reset() {
    for (Arrivals& warp : arrivals) {
      warp.of_warp = 0;
      warp.ahead.clear();
    }
    first_missing = 0;
    pending.warps = 0;
    threads = true_count = vote_count = 0;
  }
};

}  // namespace foldproof::emulated
