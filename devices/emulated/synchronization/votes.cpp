// vote, match, redux and elect: operations whose result depends on all lanes.
#include <algorithm>
#include <array>

#include "devices/emulated/state/columns.h"
#include "devices/emulated/synchronization/warp_sync.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

void WarpSync::vote(Warp& warp, Members members) {
  const bool is_ballot = warp.groups[members[0]].instruction().form->vote == isa::VoteKind::ballot;
  parts_.shadow.gathered({warp, members, 1, is_ballot ? Gather::Gives::ballot : Gather::Gives::predicate});
  const LaneMask present = warp.lanes_of(members);
  LaneMask votes = 0;
  for (const DivergentGroup& group : warp.groups_of(members)) {
    votes |= isa::mask(group.frame->registers(), group.instruction().operand[1]) & group.lanes;
  }
  for (const DivergentGroup& group : warp.groups_of(members)) {
    const Instruction& i = group.instruction();
    std::byte* registers = group.frame->registers();
    for_lanes(group.lanes, [&](unsigned lane) {
      switch (i.form->vote) {
        case isa::VoteKind::ballot: isa::row<std::uint32_t>(registers, i.operand[0])[lane] = votes; break;
        case isa::VoteKind::all: set_predicate(registers, i.operand[0], lane, votes == present); break;
        case isa::VoteKind::any: set_predicate(registers, i.operand[0], lane, votes != 0); break;
        default: set_predicate(registers, i.operand[0], lane, votes == 0 || votes == present);
      }
    });
  }
}

void WarpSync::match(Warp& warp, Members members) {
  const Instruction& first = warp.groups[members[0]].instruction();
  const MachineOperands& detail = parts_.program.details[first.detail];
  const unsigned a = detail.operands - 2u;
  parts_.shadow.gathered({warp, members, a, Gather::Gives::equal_lanes});
  if (detail.operands == 4)  // the predicate of match.all
    for (const DivergentGroup& group : warp.groups_of(members))
      parts_.shadow.decided({warp, *group.frame, group.instruction(), group.instruction().operand[a],
                             group.lanes, Decision::Of::compared_by_match});
  const auto value = warp.operands(members, a, detail.register_bytes);
  const LaneMask present = warp.lanes_of(members);
  auto equal_to = [&](unsigned lane) {
    LaneMask same = 0;
    for_lanes(present, [&](unsigned other) {
      if (value[other] == value[lane]) same |= bit(other);
    });
    return same;
  };
  for (const DivergentGroup& group : warp.groups_of(members)) {
    const Instruction& i = group.instruction();
    const bool all = i.form->has("all");
    for_lanes(group.lanes, [&](unsigned lane) {
      const LaneMask same = equal_to(lane);
      const bool agree = same == present;
      isa::row<std::uint32_t>(group.frame->registers(), i.operand[0])[lane] = all && !agree ? 0 : same;
      if (detail.operands == 4) set_predicate(group.frame->registers(), i.operand[1], lane, agree);
    });
  }
}

void WarpSync::reduce(Warp& warp, Members members) {
  parts_.shadow.gathered({warp, members, 1, Gather::Gives::fold});
  const isa::Form& form = *warp.groups[members[0]].instruction().form;
  const auto value = warp.operands(members, 1, 4);
  const LaneMask present = warp.lanes_of(members);
  const unsigned first = first_lane(present);
  std::uint64_t folded = value[first];
  // .abs and the canonical NaN also apply to a single member; combining it with itself does not change an
  // extremum.
  if (form.type == isa::Type::f32) folded = form.combine(folded, folded, 0);
  for_lanes(present & ~bit(first), [&](unsigned lane) { folded = form.combine(folded, value[lane], 0); });
  for (const DivergentGroup& group : warp.groups_of(members)) {
    for_lanes(group.lanes, [&](unsigned lane) {
      set_column(group.frame->registers(), group.instruction().operand[0], lane, 4, folded);
    });
  }
}

// The elected lane is unspecified: the lowest, or any lane under a random schedule.
void WarpSync::elect(Warp& warp, Members members) {
  const LaneMask present = warp.lanes_of(members);
  auto leader = first_lane(present);
  parts_.progress.changed();  // the next election may choose another lane
  if (parts_.choices.is_random())
    for (auto skip = parts_.choices.draw() % lane_count(present); skip > 0; --skip)
      leader = first_lane(present & ~(bit(leader) | (bit(leader) - 1)));
  for (const DivergentGroup& group : warp.groups_of(members)) {
    const Instruction& i = group.instruction();
    parts_.shadow.fresh(*group.frame, std::array{i.operand[0], i.operand[1]}, group.lanes);
    for_lanes(group.lanes, [&](unsigned lane) {
      set_column(group.frame->registers(), i.operand[0], lane, 4, leader);
      set_predicate(group.frame->registers(), i.operand[1], lane, lane == leader);
    });
  }
}

}  // namespace foldproof::emulated
