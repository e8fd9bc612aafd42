#include "devices/emulated/state/warp.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "devices/emulated/state/block.h"
#include "devices/emulated/state/places.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

void Frame::reset(const FunctionCode& of) {
  if (capacity_ < of.frame.size()) {
    registers_.reset(static_cast<std::byte*>(::operator new[](of.frame.size(), std::align_val_t{64})));
    capacity_ = of.frame.size();
  }
  // A frame last used for the same code still holds the constants. Its registers hold the values of the
  // previous activation: a program that reads a register before writing it reads those, as on hardware.
  if (code != &of) std::memcpy(registers_.get(), of.frame.data(), of.frame.size());
  code = &of;
  undefined.clear();
  nodes.clear();
  parent = nullptr;
  return_pc = 0;
  call_detail = isa::no_operand;
  local_base = depth = lanes = 0;
}

void Warp::reset(Block& of, unsigned warp_index, LaneMask existing, const FunctionCode& entry,
                 bool lane_by_lane) {
  block = &of;
  index = warp_index;
  exited = ~existing;
  groups.clear();
  if (std::exchange(came_to_cluster, false)) cluster_arrivals.fill(0);
  copies.clear();
  if (std::exchange(closed_groups, false)) open_group.fill(0);
  free_frames_.clear();
  for (const auto& frame : frames_) free_frames_.push_back(frame.get());
  free_joins_.clear();
  for (const auto& join : joins_) free_joins_.push_back(join.get());
  if (entry.local_bytes != 0 || used_local) {
    for (auto& bytes : local) bytes.clear();
    for (auto& bytes : local_defined) bytes.clear();
    used_local = false;
  }
  Frame* frame = new_frame(entry);
  frame->lanes = lane_count(existing);
  for (LaneMask left = existing; left != 0; left &= ~groups.back().lanes)
    groups.push_back({.lanes = lane_by_lane ? bit(first_lane(left)) : left, .frame = frame});
}

void Warp::begin_local(LaneMask lanes, std::size_t begin, std::size_t bytes, const UndefinedFill& fill) {
  used_local = true;
  for_lanes(lanes, [&](unsigned lane) {
    if (local[lane].size() < begin + bytes) local[lane].resize(begin + bytes);
    fill_undefined(std::span(local[lane]).subspan(begin, bytes), fill,
                   local_memory(block->number, index * isa::warp_size + lane), begin);
  });
}

std::array<std::uint64_t, isa::warp_size> Warp::operands(Members members, unsigned operand,
                                                         unsigned bytes) const {
  std::array<std::uint64_t, isa::warp_size> values{};
  for (const DivergentGroup& group : groups_of(members)) {
    std::byte* row = group.frame->registers() + group.instruction().operand[operand];
    for_lanes(group.lanes, [&](unsigned lane) {
      values[lane] =
          bytes == 4 ? isa::row<std::uint32_t>(row, 0)[lane] : isa::row<std::uint64_t>(row, 0)[lane];
    });
  }
  return values;
}

void Warp::restrict_to(std::size_t group, LaneMask lanes) {
  if (groups[group].lanes == lanes) return;
  DivergentGroup others = groups[group];
  others.lanes &= ~lanes;
  groups[group].lanes = lanes;
  groups.push_back(others);
}

void Warp::merge_ready() {
  const auto alike = [](const DivergentGroup& a, const DivergentGroup& b) {
    return a.state == DivergentGroup::State::ready && b.state == DivergentGroup::State::ready &&
           a.pc == b.pc && a.frame == b.frame && a.join == b.join;
  };
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = a + 1; b < groups.size();) {
      if (!alike(groups[a], groups[b])) {
        ++b;
        continue;
      }
      groups[a].lanes |= groups[b].lanes;
      groups[a].expired_slices = std::max(groups[a].expired_slices, groups[b].expired_slices);
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    }
}

void Warp::forget_code() {
  for (const auto& frame : frames_) frame->code = nullptr;
}

Frame* Warp::new_frame(const FunctionCode& code) {
  if (free_frames_.empty()) free_frames_.push_back(frames_.emplace_back(std::make_unique<Frame>()).get());
  Frame* frame = free_frames_.back();
  free_frames_.pop_back();
  frame->reset(code);
  return frame;
}

void Warp::release_frame(Frame* frame) { free_frames_.push_back(frame); }

Join* Warp::new_join(std::uint32_t pc, Frame* frame, LaneMask lanes, Join* parent) {
  if (free_joins_.empty()) free_joins_.push_back(joins_.emplace_back(std::make_unique<Join>()).get());
  Join* join = free_joins_.back();
  free_joins_.pop_back();
  *join = {pc, frame, lanes, 0, parent};
  return join;
}

void Warp::release_join(Join* join) { free_joins_.push_back(join); }

void Warp::leave(Join* join, LaneMask lanes) {
  join->expected &= ~lanes;
  join->arrived &= ~lanes;
  if (join->expected == 0)
    release_join(join);
  else if (join->expected == join->arrived)
    open(join);
}

void Warp::open(Join* join) {
  DivergentGroup merged;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    DivergentGroup& group = groups[k];
    if (group.state == DivergentGroup::State::joining && group.join == join) {
      group.lanes |= merged.lanes;
      merged = group;
    } else {
      groups[kept++] = group;
    }
  }
  groups.resize(kept);
  merged.state = DivergentGroup::State::ready;
  merged.join = join->parent;
  join->expected &= ~join->arrived;
  join->arrived = 0;
  if (join->expected == 0) release_join(join);
  groups.push_back(merged);
}

}  // namespace foldproof::emulated
