// Divergent groups split at branches, reconverge at joins, and exit.
#include <fmt/format.h>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

// The lanes reconverge at the branch's join, unless the group already waits for that join.
void expect_join(Warp& warp, DivergentGroup& group, const Instruction& i) {
  const bool known = group.join && group.join->pc == i.join && group.join->frame == group.frame;
  if (i.join != isa::no_operand && !known)
    group.join = warp.new_join(i.join, group.frame, group.lanes, group.join);
}

}  // namespace

// The lanes `taken` become a new group at the branch's target; the others stay.
void Executor::diverge(Warp& warp, std::size_t index, const Instruction& i, LaneMask taken) {
  DivergentGroup& group = warp.groups[index];
  if (parts_.events.executions()) parts_.events.emit_division(warp, group, i);
  expect_join(warp, group, i);
  DivergentGroup other = group;
  other.lanes = taken;
  other.pc = i.target;
  group.lanes &= ~taken;
  warp.groups.push_back(other);
}

// Splits the group: the lanes enabled by the guard stay, the others continue after the instruction.
void Executor::separate(Warp& warp, std::size_t index, LaneMask lanes) {
  DivergentGroup rest = warp.groups[index];
  rest.lanes &= ~lanes;
  ++rest.pc;
  warp.groups[index].lanes = lanes;
  warp.groups.push_back(rest);
}

void Executor::branch_indexed(Warp& warp, std::size_t index, const Instruction& i) {
  const auto& targets = parts_.program.details[i.detail].targets;
  DivergentGroup group = warp.groups[index];
  parts_.shadow.decided({warp, *group.frame, i, i.operand[0], group.lanes, Decision::Of::branch});
  const auto* selector = isa::row<std::uint32_t>(group.frame->registers(), i.operand[0]);
  expect_join(warp, group, i);
  LaneMask left = group.lanes;
  bool first = true;
  while (left != 0) {
    const std::uint32_t value = selector[first_lane(left)];
    if (value >= targets.size())
      parts_.findings.crash(i,
                            fmt::format("an indexed branch selects target {} of {}", value, targets.size()));
    DivergentGroup part = group;
    part.lanes = 0;
    part.pc = targets[value];
    for_lanes(left, [&](unsigned lane) {
      if (selector[lane] == value) part.lanes |= bit(lane);
    });
    left &= ~part.lanes;
    if (parts_.events.executions() && first && left != 0) parts_.events.emit_division(warp, group, i);
    if (first)
      warp.groups[index] = part;
    else
      warp.groups.push_back(part);
    first = false;
  }
}

// Returns true if the group may continue (its pc is then past this join, or at it for the enclosing join);
// false if it waits here or was merged into another group.
bool Executor::arrive_at_join(Warp& warp, std::size_t index) {
  DivergentGroup& group = warp.groups[index];
  Join* join = group.join;
  if (!join || join->pc != group.pc || join->frame != group.frame) {
    ++group.pc;
    return true;
  }
  join->arrived |= group.lanes;
  if (join->arrived == group.lanes && join->expected == group.lanes) {
    group.join = join->parent;
    warp.release_join(join);
    return true;
  }
  group.state = DivergentGroup::State::joining;
  if (join->arrived == join->expected) warp.open(join);
  return false;
}

void Executor::exit_lanes(Warp& warp, std::size_t index, LaneMask lanes) {
  parts_.progress.changed();
  parts_.events.emit_exit(warp, lanes);
  Join* join = warp.groups[index].join;
  Frame* frame = warp.groups[index].frame;
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(index));
  while (join) {
    Join* parent = join->parent;
    warp.leave(join, lanes);
    join = parent;
  }
  // exit may end a lane inside nested calls.
  while (frame) {
    Frame* parent = frame->parent;
    frame->lanes -= lane_count(lanes);
    if (frame->lanes == 0) warp.release_frame(frame);
    frame = parent;
  }
  warp.exited |= lanes;
  // Warp-synchronous operations and barriers no longer wait for these lanes.
  warp_sync_.recheck(warp);
  block_barriers_.recheck(warp);
  Block& block = *warp.block;
  cluster_barriers_.recheck(*block.cluster);
  if (!warp.done() || --block.live_warps != 0) return;
  --block.cluster->live_blocks;
  parts_.events.block_ends(block);
}

}  // namespace foldproof::emulated
