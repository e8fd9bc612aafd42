#include "devices/emulated/scheduling/scheduler.h"

#include <bit>

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using Order = Schedule::Order;

// Short and long slices alike: most switches come early, some runs go to the end.
std::uint64_t Scheduler::random_quantum(std::uint64_t usual) {
  return std::uint64_t{1} << (choices_.draw() % std::bit_width(usual));
}

// Whether lanes that wait to reconverge shall go on alone: the lanes on the way may themselves wait for them,
// as lanes do that spin for a lock.
bool Scheduler::impatient(const DivergentGroup& joining, const DivergentGroup& ready) {
  constexpr std::uint64_t patience = 16;  // slices
  return ready.expired_slices > joining.expired_slices + patience ||
         (choices_.is_random() && choices_.draw() % 16 == 0);
}

// The ready group that goes next: fewest expired slices first, then by the schedule. When nothing is ready,
// or has been for long, lanes that only wait to reconverge go on alone.
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

// Half of the time, some lanes of a group stay behind: nothing promises that lanes move together. A few
// groups part any two lanes often enough, and with more of them a lane that holds a lock for which many spin
// would hardly be chosen.
void Scheduler::divide_at_random(Warp& warp, std::size_t index) {
  constexpr std::size_t most_groups = 4;
  if (!choices_.is_random() || warp.groups.size() >= most_groups) return;
  DivergentGroup& group = warp.groups[index];
  if (lane_count(group.lanes) < 2 || choices_.draw() % 2 == 0) return;
  const auto keep = static_cast<LaneMask>(choices_.draw()) & group.lanes;
  if (keep == 0 || keep == group.lanes) return;
  DivergentGroup other = group;
  other.lanes &= ~keep;
  group.lanes = keep;
  warp.groups.push_back(other);
}

}  // namespace foldproof::emulated
