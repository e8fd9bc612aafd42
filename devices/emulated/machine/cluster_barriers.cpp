// The barrier of a cluster: arrivals and waits, phase after phase.
#include <algorithm>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using State = Split::State;

}  // namespace

void Grid::cluster_arrive(Warp& warp, const Instruction& i, LaneMask lanes) {
  Cluster& cluster = *warp.block->cluster;
  if (watched()) announce_cluster_arrival(warp, lanes, i);
  const std::size_t warps = warp.block->warps.size();
  cluster.arrived.resize(cluster.blocks.size() * warps);
  cluster.arrived[warp.block->rank * warps + warp.index] |= lanes;
  warp.came_to_cluster = true;
  for_lanes(lanes, [&](unsigned lane) { warp.cluster_arrivals[lane] = cluster.phase + 1; });
  check_cluster(cluster);
}

bool Grid::cluster_wait(Warp& warp, std::size_t index) {
  Split& split = warp.splits[index];
  std::uint64_t phase = 0;
  for_lanes(split.lanes, [&](unsigned lane) { phase = std::max(phase, warp.cluster_arrivals[lane]); });
  if (warp.block->cluster->phase >= phase) {
    if (watched()) announce_cluster_wait(warp, split.lanes, at(split));
    ++split.pc;
    return true;
  }
  split.state = State::cluster;
  split.until_phase = phase;
  return false;
}

void Grid::check_cluster(Cluster& cluster) {
  if (cluster.arrived.empty()) return;
  const std::size_t warps = cluster.arrived.size() / cluster.blocks.size();
  for (std::size_t b = 0; b < cluster.blocks.size(); ++b) {
    if (!cluster.blocks[b]->started) return;
    for (std::size_t w = 0; w < warps; ++w)
      if ((cluster.arrived[b * warps + w] | cluster.blocks[b]->warps[w]->exited) != isa::all_lanes) return;
  }
  cluster.arrived.clear();
  ++cluster.phase;
  ++changes_;
  for (Observer* observer : observers_) observer->cluster_completes(cluster.number);
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps) {
      bool moved = false;
      for (Split& split : warp->splits)
        if (split.state == State::cluster && split.until_phase <= cluster.phase) {
          if (watched()) announce_cluster_wait(*warp, split.lanes, at(split));
          split.state = State::ready;
          ++split.pc;
          moved = true;
        }
      if (moved && warp->splits.size() > 1) merge_ready(*warp);
    }
}

}  // namespace foldproof::machine
