#include "devices/emulated/synchronization/cluster_barriers.h"

#include <algorithm>

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using State = DivergentGroup::State;

void ClusterBarriers::arrive(Warp& warp, const Instruction& i, LaneMask lanes) {
  Cluster& cluster = *warp.block->cluster;
  parts_.events.emit_cluster_arrival(warp, lanes, i);
  const std::size_t warps = warp.block->warps.size();
  cluster.arrived.resize(cluster.blocks.size() * warps);
  cluster.arrived[warp.block->rank * warps + warp.index] |= lanes;
  warp.came_to_cluster = true;
  for_lanes(lanes, [&](unsigned lane) { warp.cluster_arrivals[lane] = cluster.phase + 1; });
  recheck(cluster);
}

bool ClusterBarriers::wait(Warp& warp, std::size_t index) {
  DivergentGroup& group = warp.groups[index];
  std::uint64_t phase = 0;
  for_lanes(group.lanes, [&](unsigned lane) { phase = std::max(phase, warp.cluster_arrivals[lane]); });
  if (warp.block->cluster->phase >= phase) {
    parts_.events.emit_cluster_wait(warp, group.lanes, group.instruction());
    ++group.pc;
    return true;
  }
  group.state = State::cluster;
  group.until_phase = phase;
  return false;
}

bool ClusterBarriers::is_complete(const Cluster& cluster) {
  if (cluster.arrived.empty()) return false;
  const std::size_t warps = cluster.arrived.size() / cluster.blocks.size();
  for (std::size_t b = 0; b < cluster.blocks.size(); ++b) {
    if (!cluster.blocks[b]->started) return false;
    for (std::size_t w = 0; w < warps; ++w)
      if ((cluster.arrived[b * warps + w] | cluster.blocks[b]->warps[w]->exited) != isa::all_lanes)
        return false;
  }
  return true;
}

void ClusterBarriers::recheck(Cluster& cluster) {
  if (!is_complete(cluster)) return;
  cluster.arrived.clear();
  ++cluster.phase;
  parts_.progress.changed();
  parts_.events.emit_cluster_completion(cluster);
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps) {
      bool moved = false;
      for (DivergentGroup& group : warp->groups)
        if (group.state == State::cluster && group.until_phase <= cluster.phase) {
          parts_.events.emit_cluster_wait(*warp, group.lanes, group.instruction());
          group.state = State::ready;
          ++group.pc;
          moved = true;
        }
      if (moved && !parts_.choices.lane_by_lane()) warp->merge_ready();
    }
}

}  // namespace foldproof::emulated
