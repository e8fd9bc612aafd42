// Selects the next group of a warp and its time slice, from the schedule and its random numbers.
//
//   At every level (blocks, warps of a block, groups of a warp) a turn lasts at most one quantum, so that
//   spin locks, look-back scans and grid barriers make progress.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/events/events.h"
#include "devices/emulated/state/choices.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

class Scheduler {
 public:
  // Quanta in warp instructions; a poll is charged as many.
  static constexpr std::uint64_t group_quantum = 4096, warp_quantum = 16384, block_quantum = 131072;

  Scheduler(Choices& choices, Events& events) : choices_(choices), events_(events) {}

  /// The group to run next; null if none can run. Groups that wait to reconverge may be released.
  DivergentGroup* choose(Warp& warp) {
    if (warp.groups.size() != 1) return choose_among(warp);
    DivergentGroup& only = warp.groups.front();
    if (only.state == DivergentGroup::State::joining) return choose_among(warp);
    return only.state == DivergentGroup::State::ready ? &only : nullptr;
  }
  /// `usual`; under a random schedule, powers of two up to it with equal probability: most switches come
  /// early, some slices run to the end.
  std::uint64_t quantum(std::uint64_t usual) {
    return choices_.is_random() ? std::uint64_t{1} << (choices_.draw() % std::bit_width(usual)) : usual;
  }
  /// For a random schedule: may split some lanes of the group off into a new group.
  void divide_at_random(Warp& warp, std::size_t index);

 private:
  DivergentGroup* choose_among(Warp& warp);
  bool impatient(const DivergentGroup& joining, const DivergentGroup& ready);

  Choices& choices_;
  Events& events_;
};

}  // namespace foldproof::emulated
