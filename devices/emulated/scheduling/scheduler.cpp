#include "devices/emulated/scheduling/scheduler.h"

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using Order = Schedule::Order;

// Whether lanes that wait to reconverge should continue alone: the lanes still on their way may themselves
// wait for them, for example when spinning for a lock.
bool Scheduler::impatient(const DivergentGroup& joining, const DivergentGroup& ready) {
  constexpr std::uint64_t patience = 16;  // slices
  return ready.expired_slices > joining.expired_slices + patience ||
         (choices_.is_random() && choices_.draw() % 16 == 0);
}

// The ready group to run next: fewest expired slices first, then by the schedule. If no group is ready, or
// one has been for too long, lanes that only wait to reconverge continue alone.
DivergentGroup* Scheduler::choose_among(Warp& warp) {
  DivergentGroup* best = nullptr;
  std::uint32_t ready = 0;
  const auto rank = [&](const DivergentGroup& group) {
    const auto lane = first_lane(group.lanes);
    return choices_.is(Order::lanes_backward) ? isa::warp_size - lane : lane;
  };
  for (DivergentGroup& group : warp.groups) {
    if (group.state != DivergentGroup::State::ready) continue;
    ++ready;
    if (choices_.is_random()) {
      if (choices_.draw() % ready == 0) best = &group;
    } else if (!best || group.expired_slices < best->expired_slices ||
               (group.expired_slices == best->expired_slices && rank(group) < rank(*best))) {
      best = &group;
    }
  }
  for (DivergentGroup& group : warp.groups) {
    if (group.state != DivergentGroup::State::joining || (best && !impatient(group, *best))) continue;
    const LaneMask missing = group.join->expected & ~group.join->arrived;
    warp.open(group.join);
    if (missing != 0) events_.emit_departure(warp, warp.groups.back(), missing);
    return &warp.groups.back();
  }
  return best;
}

// Half of the time, splits off some lanes of a group: nothing guarantees that lanes move together. A few
// groups separate any two lanes often enough; with more, a lane that holds a lock for which many spin would
// rarely be chosen.
void Scheduler::divide_at_random(Warp& warp, std::size_t index) {
  constexpr std::size_t most_groups = 4;
  if (warp.groups.size() >= most_groups) return;
  const LaneMask lanes = warp.groups[index].lanes;
  if (lane_count(lanes) < 2 || choices_.draw() % 2 == 0) return;
  const LaneMask kept = static_cast<LaneMask>(choices_.draw()) & lanes;
  if (kept != 0) warp.restrict_to(index, kept);
}

}  // namespace foldproof::emulated
