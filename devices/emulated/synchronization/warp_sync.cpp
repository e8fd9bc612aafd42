#include "devices/emulated/synchronization/warp_sync.h"

#include <utility>
#include <vector>

#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using State = DivergentGroup::State;

bool WarpSync::arrive(Warp& warp, std::size_t index) {
  const Instruction& i = warp.groups[index].instruction();
  const LaneMask mask = member_mask(warp, index);
  DivergentGroup& group = warp.groups[index];
  // It is undefined behaviour if a lane's own mask excludes it. Such lanes do not wait for any lane, and no
  // lane waits for them.
  const bool outside = (group.lanes & ~mask) != 0;
  group.member_mask = mask;
  parts_.events.emit_warp_sync_arrival(warp, group, i);
  if (outside || (mask & ~warp.exited & ~group.lanes) == 0) {
    const std::size_t only[] = {index};
    perform(warp, only);
    return true;
  }
  group.state = State::warp_sync;
  try_to_complete(warp, mask, i.form);
  return false;
}

// Lanes with another mask than the first become a separate group, with a separate operation.
LaneMask WarpSync::member_mask(Warp& warp, std::size_t index) {
  const Instruction& i = warp.groups[index].instruction();
  const std::uint32_t row = parts_.program.details[i.detail].member_mask;
  if (row == isa::no_operand) return all_lanes;
  Frame& frame = *warp.groups[index].frame;
  const LaneMask lanes = warp.groups[index].lanes;
  parts_.shadow.decided({warp, frame, i, row, lanes, Decision::Of::member_mask});
  const auto* masks = isa::row<std::uint32_t>(frame.registers(), row);
  const LaneMask same = lanes_that_agree(masks, lanes);
  warp.restrict_to(index, same);
  return masks[first_lane(same)];
}

void WarpSync::recheck(Warp& warp) {
  std::vector<std::pair<LaneMask, const isa::Form*>> waiting;
  for (const DivergentGroup& group : warp.groups)
    if (group.state == State::warp_sync) waiting.emplace_back(group.member_mask, group.instruction().form);
  for (const auto& [mask, form] : waiting) try_to_complete(warp, mask, form);
}

// Groups take part in one operation if they wait with the same mask at instructions of the same form.
void WarpSync::try_to_complete(Warp& warp, LaneMask mask, const isa::Form* form) {
  std::vector<std::size_t> members;
  for (std::size_t k = 0; k < warp.groups.size(); ++k) {
    const DivergentGroup& group = warp.groups[k];
    if (group.state == State::warp_sync && group.member_mask == mask && group.instruction().form == form)
      members.push_back(k);
  }
  if (members.empty() || (mask & ~warp.exited & ~warp.lanes_of(members)) != 0) return;
  perform(warp, members);
  if (!parts_.choices.lane_by_lane()) warp.merge_ready();
}

void WarpSync::perform(Warp& warp, Members members) {
  switch (warp.groups[members[0]].instruction().action) {
    case Action::shuffle: shuffle(warp, members); break;
    case Action::vote: vote(warp, members); break;
    case Action::match: match(warp, members); break;
    case Action::warp_reduce: reduce(warp, members); break;
    case Action::elect: elect(warp, members); break;
    case Action::load_matrix:
    case Action::store_matrix:
    case Action::matrix_multiply: whole_warp(warp, members); break;
    default: break;  // bar.warp.sync has no effect other than the arrival of all lanes
  }
  parts_.events.emit_warp_sync_completion(warp, members);
  for (const std::size_t k : members) {
    warp.groups[k].state = State::ready;
    ++warp.groups[k].pc;
  }
}

}  // namespace foldproof::emulated
