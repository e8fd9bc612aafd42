// Who runs next within a warp, and for how long: a schedule and its random numbers decide.
//
//   At every level (blocks, warps of a block, groups of a warp) a turn lasts for a quantum at most, so that
//   spin locks, look-back scans and grid barriers make progress.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/emulated/events/events.h"
#include "devices/emulated/state/choices.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

class Scheduler {
 public:
  // Quanta in warp instructions, polls counting for many.
  static constexpr std::uint64_t group_quantum = 4096, warp_quantum = 16384, block_quantum = 131072;

  Scheduler(Choices& choices, Events& events) : choices_(choices), events_(events) {}

  /// The group that goes next; null where none can. Groups that wait to reconverge may be opened.
  DivergentGroup* choose(Warp& warp) {
    if (warp.groups.size() != 1) return choose_among(warp);
    DivergentGroup& only = warp.groups.front();
    if (only.state == DivergentGroup::State::joining) return choose_among(warp);
    return only.state == DivergentGroup::State::ready ? &only : nullptr;
  }
  /// `usual`, or less under a random schedule.
  std::uint64_t quantum(std::uint64_t usual) { return choices_.is_random() ? random_quantum(usual) : usual; }
  /// Under a random schedule, some lanes of the group may become a group of their own.
  void divide_at_random(Warp& warp, std::size_t index);

 private:
  DivergentGroup* choose_among(Warp& warp);
  bool impatient(const DivergentGroup& joining, const DivergentGroup& ready);
  std::uint64_t random_quantum(std::uint64_t usual);

  Choices& choices_;
  Events& events_;
};

}  // namespace foldproof::emulated
