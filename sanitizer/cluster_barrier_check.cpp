#include "sanitizer/cluster_barrier_check.h"

namespace foldproof {
namespace {

LaneSet lanes_of(const std::vector<BarrierEvent>& events) {
  LaneSet lanes = 0;
  for (const BarrierEvent& event : events) lanes |= event.lanes;
  return lanes;
}

}  // namespace

void ClusterBarrierCheck::launch_begins(const LaunchView& launch) {
  Check::launch_begins(launch);
  warps_.clear();
  reported_.clear();
}

void ClusterBarrierCheck::block_ends(BlockNumber block) {
  warps_.erase(warps_.lower_bound({block, 0}), warps_.lower_bound({block + 1, 0}));
}

void ClusterBarrierCheck::cluster_arrives(const BarrierEvent& event, bool /*releases*/) {
  Phases& warp = warps_[event.warp];
  warp.odd ^= event.lanes;
  for (const std::size_t index : {0, 1}) {
    BarrierEvent part = event;
    part.lanes &= warp.lanes_in(index);
    if (part.lanes != 0) arrive(warp, index, part);
  }
}

// What the same lanes did at this index belongs to the phase before the previous one.
void ClusterBarrierCheck::arrive(Phases& warp, std::size_t index, const BarrierEvent& event) {
  Phase& now = warp.phases.at(index);
  const Phase& previous = warp.phases.at(1 - index);
  if ((lanes_of(now.arrivals) & event.lanes) != 0) now = {};
  for (const BarrierEvent& wait : previous.waits)
    if (wait.aligned && (event.lanes & lanes_of(previous.arrivals) & ~lanes_of(previous.waits)) != 0)
      report(wait, event, "some threads of the warp wait at this cluster barrier, but others do not");
  add(now.arrivals, event);
}

void ClusterBarrierCheck::cluster_wait_begins(const BarrierEvent& event) {
  Phases& warp = warps_[event.warp];
  for (const std::size_t index : {0, 1}) {
    BarrierEvent part = event;
    part.lanes &= warp.lanes_in(index);
    std::vector<BarrierEvent>& waits = warp.phases.at(index).waits;
    if ((lanes_of(waits) & part.lanes) != 0) waits.clear();  // a second wait in one phase
    if (part.lanes != 0) add(waits, part);
  }
}

void ClusterBarrierCheck::add(std::vector<BarrierEvent>& executed, const BarrierEvent& event) {
  for (const BarrierEvent& other : executed)
    if (other.site != event.site && (other.aligned || event.aligned))
      report(event, other,
             "threads of one warp execute an aligned cluster barrier at different instructions");
  executed.push_back(event);
}

// Lanes that are behind were together with the others at the branch, so they executed after it what the
// others did not.
void ClusterBarrierCheck::leaves_behind(const BarrierEvent& event, LaneSet behind) {
  const auto found = warps_.find(event.warp);
  if (found == warps_.end()) return;
  for (const Phase& phase : found->second.phases)
    for (const std::vector<BarrierEvent>* executed : {&phase.arrivals, &phase.waits}) {
      if ((lanes_of(*executed) & event.lanes) != 0) continue;
      for (const BarrierEvent& earlier : *executed)
        if (earlier.aligned && (earlier.lanes & behind) != 0)
          return report(
              earlier, event,
              "some threads of the warp execute this aligned cluster barrier, but others have already "
              "passed it");
    }
}

void ClusterBarrierCheck::report(const BarrierEvent& now, const BarrierEvent& other, std::string message) {
  if (!reported_.emplace(now.site, other.site).second) return;
  add_pair(Kind::barrier_divergence, std::move(message), now, other);
}

}  // namespace foldproof
