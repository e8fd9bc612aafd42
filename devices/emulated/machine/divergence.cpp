// Splits divide at branches, meet again at joins, and end.
#include <fmt/format.h>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

// The lanes shall meet again where the branch says, unless they are on their way there already.
void expect_join(Warp& warp, Split& split, const Instruction& i) {
  const bool known = split.join && split.join->pc == i.join && split.join->frame == split.frame;
  if (i.join != isa::no_operand && !known)
    split.join = warp.new_join(i.join, split.frame, split.lanes, split.join);
}

}  // namespace

// Lanes `taken` become a split of their own at the branch's target; the others stay.
void Grid::diverge(Warp& warp, std::size_t index, const Instruction& i, LaneMask taken) {
  Split& split = warp.splits[index];
  if (counts()) announce_division(warp, split, i);
  expect_join(warp, split, i);
  Split other = split;
  other.lanes = taken;
  other.pc = i.target;
  split.lanes &= ~taken;
  warp.splits.push_back(other);
}

// Splits off the lanes that a guard lets through; the rest goes on behind the instruction.
void Grid::separate(Warp& warp, std::size_t index, LaneMask lanes) {
  Split rest = warp.splits[index];
  rest.lanes &= ~lanes;
  ++rest.pc;
  warp.splits[index].lanes = lanes;
  warp.splits.push_back(rest);
}

// Lanes other than `lanes` become a split of their own at the same place, which goes after these.
void Grid::restrict_to(Warp& warp, std::size_t index, LaneMask lanes) {
  if (warp.splits[index].lanes == lanes) return;
  Split others = warp.splits[index];
  others.lanes &= ~lanes;
  warp.splits[index].lanes = lanes;
  warp.splits.push_back(others);
}

void Grid::branch_indexed(Warp& warp, std::size_t index, const Instruction& i) {
  const auto& targets = program_.details[i.detail].targets;
  Split split = warp.splits[index];
  const auto* selector = isa::row<std::uint32_t>(split.frame->registers(), i.operand[0]);
  expect_join(warp, split, i);
  LaneMask left = split.lanes;
  bool first = true;
  while (left != 0) {
    const std::uint32_t value = selector[first_lane(left)];
    if (value >= targets.size())
      end(make_finding(Kind::crash, i,
                       fmt::format("an indexed branch selects target {} of {}", value, targets.size())));
    Split part = split;
    part.lanes = 0;
    part.pc = targets[value];
    for_lanes(left, [&](unsigned lane) {
      if (selector[lane] == value) part.lanes |= bit(lane);
    });
    left &= ~part.lanes;
    if (counts() && first && left != 0) announce_division(warp, split, i);
    if (first)
      warp.splits[index] = part;
    else
      warp.splits.push_back(part);
    first = false;
  }
}

// True when the split may go on (its pc is then past this join, or at it for the enclosing one); false when
// it waits here or was merged into another split.
bool Grid::arrive_at_join(Warp& warp, std::size_t index) {
  Split& split = warp.splits[index];
  Join* join = split.join;
  if (!join || join->pc != split.pc || join->frame != split.frame) {
    ++split.pc;
    return true;
  }
  join->arrived |= split.lanes;
  if (join->arrived == split.lanes && join->expected == split.lanes) {
    split.join = join->parent;
    warp.release_join(join);
    return true;
  }
  split.state = Split::State::joining;
  if (join->arrived == join->expected) warp.open(join);
  return false;
}

void Grid::exit_lanes(Warp& warp, std::size_t index, LaneMask lanes) {
  ++changes_;
  announce_exit(warp, lanes);
  Join* join = warp.splits[index].join;
  Frame* frame = warp.splits[index].frame;
  warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(index));
  while (join) {
    Join* parent = join->parent;
    warp.leave(join, lanes);
    join = parent;
  }
  // exit may end a lane in the middle of calls.
  while (frame) {
    Frame* parent = frame->parent;
    frame->lanes -= lane_count(lanes);
    if (frame->lanes == 0) warp.release_frame(frame);
    frame = parent;
  }
  warp.exited |= lanes;
  recheck_after_exit(warp);
}

// Whoever waited for lanes that have just ended waits for them no longer.
void Grid::recheck_after_exit(Warp& warp) {
  Block& block = *warp.block;
  std::vector<std::pair<LaneMask, const isa::Form*>> meetings;
  for (const Split& split : warp.splits)
    if (split.state == Split::State::meeting) meetings.emplace_back(split.member_mask, at(split).form);
  for (const auto& [mask, form] : meetings) try_meeting(warp, mask, form);
  for_lanes(block.barriers_in_use, [&](unsigned number) {
    Barrier& barrier = block.barriers[number];
    barrier.arrivals[warp.index].settle(warp.exited);
    if (complete(block, barrier)) release(block, number);
  });
  check_cluster(*block.cluster);
  if (!warp.done()) return;
  if (--block.live_warps != 0) return;
  --block.cluster->live_blocks;
  for (Observer* observer : observers_) observer->block_ends(block.number);
}

}  // namespace foldproof::machine
