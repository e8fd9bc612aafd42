// Clocks: the order established by barriers of a warp, block or cluster.
#include <algorithm>
#include <utility>

#include "sanitizer/race/clocks.h"

namespace foldproof {

void Clocks::warp_barrier_completes(const BarrierEvent& event) {
  WarpClock& warp = this->warp(event.warp);
  const Time now = ++warp.time;
  if ((event.lanes | warp.missing) == all_lanes) {
    warp.uniform = now;
    warp.pairs.reset();
  } else {
    if (!warp.pairs) {
      warp.pairs = std::make_unique<std::array<std::array<Time, lanes_per_warp>, lanes_per_warp>>();
      for (auto& row : *warp.pairs) row.fill(0);
    }
    std::array<Time, lanes_per_warp> joined{};
    for_lanes(event.lanes, [&](unsigned lane) {
      for (unsigned m = 0; m < lanes_per_warp; ++m) joined[m] = std::max(joined[m], (*warp.pairs)[lane][m]);
    });
    for_lanes(event.lanes, [&](unsigned lane) { joined[lane] = now; });
    for_lanes(event.lanes, [&](unsigned lane) { (*warp.pairs)[lane] = joined; });
  }
  if (warp.fencing) share_fencing(fencing_of({{&warp, event.lanes}}), {{&warp, event.lanes}});
  share_outer(warp, event.lanes);
}

// Each of the lanes learns what any of them has learnt from others.
void Clocks::share_outer(WarpClock& warp, LaneSet lanes) {
  if ((warp.has_outer & lanes) == 0) return;
  VectorClock all;
  for_lanes(warp.has_outer & lanes, [&](unsigned lane) { joined_.add(all, (*warp.outer)[lane]); });
  learn(warp, lanes, all);
}

// The accesses of the lanes themselves remain unordered.
void Clocks::shuffle_passes_on(const WarpSyncEvent& event) { share_outer(warp(event.warp), event.lanes); }

void Clocks::barrier_arrives(const BarrierEvent& event) {
  BlockClock& block = this->block(event.warp.block);
  WarpClock& warp = block.warps[event.warp.warp];
  BlockClock::Barrier& barrier = block.barriers[event.barrier];
  barrier.counted |= event.threads != 0;
  if (event.waits && (event.lanes | warp.missing) == all_lanes) {
    barrier.whole_warps |= std::uint32_t{1} << event.warp.warp;
    return;
  }
  ++warp.time;
  barrier.arrivals.push_back({event.warp.warp, event.lanes, nullptr});
  if (!event.waits)  // later actions of these lanes are not part of it
    barrier.arrivals.back().released = std::make_unique<BlockClock::Released>(
        BlockClock::Released{known_to(warp, event.lanes), fencing_of({{&warp, event.lanes}})});
}

void Clocks::warps_arrive(const BarrierEvent& event, std::uint32_t warps) {
  BlockClock::Barrier& barrier = block(event.warp.block).barriers[event.barrier];
  barrier.counted |= event.threads != 0;
  barrier.whole_warps |= warps;
}

// The whole block has met: all threads know what any of them knew.
void Clocks::synchronize_block(BlockClock& block) {
  Time latest = 0;
  bool individual = false;
  for (const WarpClock& warp : block.warps) {
    latest = std::max(latest, warp.time);
    individual |= warp.has_outer != 0;
  }
  block.base = latest + 1;
  if (individual) {
    // This includes everything that was learnt about the block's own lanes, and replaces it.
    block.outer.join({{block.number, 0}, block.base, {}});
    for (WarpClock& warp : block.warps) {
      for_lanes(warp.has_outer, [&](unsigned lane) {
        joined_.add(block.outer, (*warp.outer)[lane]);
        (*warp.outer)[lane] = {};
      });
      warp.has_outer = 0;
    }
  }
  bool fenced = false;
  for (WarpClock& warp : block.warps) {
    warp.time = block.base;
    warp.uniform = 0;
    warp.pairs.reset();
    fenced |= warp.fencing != nullptr;
  }
  if (!fenced) return;
  Participants all;
  for (WarpClock& warp : block.warps) all.emplace_back(&warp, all_lanes);
  share_fencing(fencing_of(all), all);
}

void Clocks::barrier_completes(BlockNumber number, std::uint32_t barrier) {
  BlockClock& block = this->block(number);
  BlockClock::Barrier& complete = block.barriers[barrier];
  if (complete.whole_warps == lowest_lanes(warps_))
    synchronize_block(block);
  else
    synchronize_lanes(block, complete);
  complete.arrivals.clear();
  complete.whole_warps = 0;
  complete.counted = false;
}

void Clocks::synchronize_lanes(BlockClock& block, BlockClock::Barrier& complete) {
  for_lanes(complete.whole_warps, [&](std::uint32_t w) {
    WarpClock& warp = block.warps[w];
    ++warp.time;
    complete.arrivals.push_back({w, ~warp.missing, nullptr});
  });
  ByWarp waiting{}, came{};
  for (const auto& arrival : complete.arrivals) {
    came[arrival.warp] |= arrival.lanes;
    if (!arrival.released) waiting[arrival.warp] |= arrival.lanes;
  }
  bool all_threads = true;
  for (std::uint32_t w = 0; w < warps_; ++w) {
    const WarpClock& warp = block.warps[w];
    all_threads &= (waiting[w] | (complete.counted ? warp.missing : warp.exited)) == all_lanes;
  }
  if (all_threads)
    synchronize_block(block);
  else
    synchronize_part(block, complete, came, waiting);
}

// Exited lanes count as arrived: at a counted barrier, those whose warp has arrived at it; at any other, all.
void Clocks::synchronize_part(BlockClock& block, const BlockClock::Barrier& complete, const ByWarp& came,
                              const ByWarp& waiting) {
  VectorClock met;
  Fencing fencing;
  Participants continuing;
  const auto joins = [&](WarpClock& warp, LaneSet lanes) {
    met.join(known_to(warp, lanes));
    add_fencing(fencing, fencing_of({{&warp, lanes}}));
  };
  for (const auto& arrival : complete.arrivals) {
    if (!arrival.released) {
      joins(block.warps[arrival.warp], arrival.lanes);
    } else {
      met.join(arrival.released->known);
      add_fencing(fencing, arrival.released->fencing);
    }
  }
  for (std::uint32_t w = 0; w < warps_; ++w) {
    WarpClock& warp = block.warps[w];
    const LaneSet ended = warp.exited & ~warp.missing & ~came[w];
    if (ended != 0 && (came[w] != 0 || !complete.counted)) {
      ++warp.time;
      joins(warp, ended);
    }
    if (waiting[w] != 0) continuing.emplace_back(&warp, waiting[w]);
  }
  share_fencing(fencing, continuing);
  for (const auto& [warp, lanes] : continuing) learn(*warp, lanes, met);
}

// A relaxed arrival passes on what fences have released, and the fact that the block has begun.
void Clocks::cluster_arrives(const BarrierEvent& event, bool releases) {
  WarpClock& warp = this->warp(event.warp);
  block(event.warp.block).has_released = true;
  ClusterPhase& phase = clusters_[event.warp.block / blocks_per_cluster_];
  VectorClock& arrived = phase.arrived;
  if (releases) {
    ++warp.time;
    arrived.join(known_inside(warp, event.lanes));
    join_outside(arrived, warp, event.lanes);
    return;
  }
  constexpr Time beginning = 1;  // no action has an earlier time
  LaneTimes begun{};
  for_lanes(event.lanes, [&](unsigned lane) { begun[lane] = beginning; });
  arrived.join({event.warp, 0, begun});
  const Fencing fencing = fencing_of({{&warp, event.lanes}});
  for (const SyncScope scope : {SyncScope::cluster, SyncScope::gpu, SyncScope::sys})
    arrived.join(fencing.released[static_cast<std::size_t>(scope)]);
}

void Clocks::cluster_completes(std::uint64_t cluster) {
  ClusterPhase& phase = clusters_[cluster];
  phase.complete = std::exchange(phase.arrived, {});
}

void Clocks::cluster_waits(const BarrierEvent& event, bool acquires) {
  if (acquires)
    learn(warp(event.warp), event.lanes, clusters_[event.warp.block / blocks_per_cluster_].complete);
}

void Clocks::exits(const BarrierEvent& event) { warp(event.warp).exited |= event.lanes; }

}  // namespace foldproof
