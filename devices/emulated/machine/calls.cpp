// Calls and returns: a frame for each activation, arguments and results from slot to slot.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

constexpr std::uint32_t deepest_call = 1024;
constexpr std::uint32_t largest_stack = 512 << 10;  // bytes of local memory a thread

// Copies the columns of `lanes` from slot to slot: arguments on the way in, results on the way out.
void copy_columns(std::byte* to, std::uint32_t target, const std::byte* from, std::uint32_t source,
                  LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) { std::memcpy(to + target + lane * 4, from + source + lane * 4, 4); });
}

void copy_slot(Frame& to, const Slot& target, Frame& from, const Slot& source, LaneMask lanes) {
  const std::uint32_t chunks = (std::min(target.bytes, source.bytes) + 3) / 4;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const std::uint32_t there = target.offset + chunk * 128, here = source.offset + chunk * 128;
    copy_columns(to.registers(), there, from.registers(), here, lanes);
    if (to.nodes.any() || from.nodes.any())
      for_lanes(lanes, [&](unsigned lane) { to.nodes.set(there, lane, from.nodes.at(here, lane)); });
    if (!to.taint.any() && !from.taint.any()) continue;
    const Taint::Row* row = from.taint.find(here);
    if (!row) {
      to.taint.define(there, lanes);
      continue;
    }
    copy_columns(to.undefined_bits(), there, from.undefined_bits(), here, lanes);
    to.taint.update(there, 4, row->origin);
  }
}

}  // namespace

// The function that the first lane calls, and in `same` the lanes that call it too.
const Code& Grid::callee(const Split& split, const Instruction& i, LaneMask& same) {
  const Detail& detail = program_.details[i.detail];
  if (detail.function != isa::no_operand) return program_.functions[detail.function];
  const auto* target = isa::row<std::uint64_t>(split.frame->registers(), i.operand[0]);
  const std::uint64_t address = target[first_lane(split.lanes)];
  for_lanes(same, [&](unsigned lane) {
    if (target[lane] != address) same &= ~bit(lane);
  });
  const std::uint64_t number = (address - function_window) / function_stride;
  if (address < function_window || address % function_stride != 0 || number >= program_.functions.size())
    end(make_finding(Kind::crash, i,
                     fmt::format("an indirect call goes to {:#x}, where no function is", address)));
  return program_.functions[number];
}

void Grid::call(Warp& warp, std::size_t index, const Instruction& i) {
  const Detail& detail = program_.details[i.detail];
  LaneMask lanes = warp.splits[index].lanes;
  const Code& code = callee(warp.splits[index], i, lanes);
  restrict_to(warp, index, lanes);
  Split& split = warp.splits[index];
  Frame* caller = split.frame;
  if (code.parameters.size() != detail.arguments.size() || code.returns.size() != detail.returns.size())
    end(make_finding(Kind::crash, i,
                     fmt::format("{} is called with {} arguments and takes {}", code.name,
                                 detail.arguments.size(), code.parameters.size())));
  const std::uint32_t local_base = (caller->local_base + caller->code->local_bytes + 15) / 16 * 16;
  if (caller->depth == deepest_call || local_base + code.local_bytes > largest_stack)
    end(make_finding(Kind::crash, i,
                     fmt::format("the stack overflows: calls are {} deep and use {} bytes", caller->depth + 1,
                                 local_base)));
  if (code.local_bytes != 0) warp.begin_local(lanes, local_base, code.local_bytes, filling());
  Frame* frame = warp.new_frame(code);
  frame->parent = caller;
  frame->return_pc = split.pc + 1;
  frame->call_detail = i.detail;
  frame->local_base = local_base;
  frame->depth = caller->depth + 1;
  frame->lanes = lane_count(lanes);
  if (tracks()) begin_undefined(warp, *frame, lanes);
  for (std::size_t k = 0; k < detail.arguments.size(); ++k)
    copy_slot(*frame, code.parameters[k], *caller, detail.arguments[k], lanes);
  split.join = warp.new_join(split.pc + 1, caller, lanes, split.join);
  split.frame = frame;
  split.pc = 0;
}

void Grid::return_lanes(Warp& warp, std::size_t index) {
  const LaneMask lanes = warp.splits[index].lanes;
  Frame* frame = warp.splits[index].frame;
  // Joins inside the function wait for these lanes no longer.
  Join* join = warp.splits[index].join;
  std::vector<Join*> left;
  while (join && join->frame == frame) {
    left.push_back(join);
    join = join->parent;
  }
  Split& split = warp.splits[index];
  Frame* caller = frame->parent;
  const Detail& detail = program_.details[frame->call_detail];
  for (std::size_t k = 0; k < detail.returns.size(); ++k)
    copy_slot(*caller, detail.returns[k], *frame, frame->code->returns[k], lanes);
  split.frame = caller;
  split.pc = frame->return_pc;
  split.join = join;
  frame->lanes -= lane_count(lanes);
  if (frame->lanes == 0) warp.release_frame(frame);
  for (Join* inner : left) warp.leave(inner, lanes);
}

}  // namespace foldproof::machine
