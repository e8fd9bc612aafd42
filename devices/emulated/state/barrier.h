// One of the sixteen barriers of a block, and the arrivals at it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

/// Arrivals are counted in whole warps: a warp has arrived as often as every lane that has not exited, and an
/// exited warp as often as any of its lanes. bar.arrive does not wait, so a warp may arrive again, and some
/// of its lanes before others.
struct Arrivals {
  std::uint32_t of_warp = 0;         ///< how often the warp has arrived as a whole
  std::vector<isa::LaneMask> ahead;  ///< lanes that have arrived once more than the warp, twice more …

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

  /// Counts the levels that are complete because the missing lanes have exited.
  void settle(isa::LaneMask exited) {
    while (!ahead.empty() && (ahead.front() | exited) == isa::all_lanes) {
      ahead.erase(ahead.begin());
      ++of_warp;
    }
  }
};

/// Whole warps that arrived in the same way to wait, and whose arrival has not been reported to observers yet
/// (events/events.h).
struct PendingArrivals {
  std::uint32_t warps = 0;  ///< bit w: warp w
  const isa::Instruction* at = nullptr;
  std::uint32_t threads = 0;  ///< number of threads that they wait for
};

struct Barrier {
  std::vector<Arrivals> arrivals;  ///< by warp
  std::size_t first_missing = 0;   ///< all earlier warps have arrived or exited
  PendingArrivals pending;
  std::uint32_t threads = 0;  ///< number of threads expected; 0: the whole block
  std::uint32_t true_count = 0,
                vote_count = 0;  ///< barrier.red: lanes that arrived with a true predicate, and all lanes

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
