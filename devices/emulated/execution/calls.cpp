// Calls and returns: one frame per activation; arguments and results are copied between slots.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

constexpr std::uint32_t deepest_call = 1024;
constexpr std::uint32_t largest_stack = 512 << 10;  // bytes of local memory per thread

}  // namespace

// Copies the columns of `lanes` between slots: arguments on a call, results on a return.
void Executor::move_slot(Frame& to, const Slot& target, Frame& from, const Slot& source, LaneMask lanes) {
  constexpr std::uint32_t column = 4, row = column * isa::warp_size;
  const std::uint32_t rows = (std::min(target.bytes, source.bytes) + column - 1) / column;
  for (std::uint32_t k = 0; k < rows; ++k) {
    const std::uint32_t there = target.offset + k * row, here = source.offset + k * row;
    parts_.shadow.moved(to, there, from, here, lanes);
    for_lanes(lanes, [&](unsigned lane) {
      std::memcpy(to.registers() + there + lane * column, from.registers() + here + lane * column, column);
    });
  }
}

// The function that the first lane calls; `same` is reduced to the lanes that call it too.
const FunctionCode& Executor::callee(const DivergentGroup& group, const Instruction& i, LaneMask& same) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  if (detail.function != isa::no_operand) return parts_.program.functions[detail.function];
  const auto* target = isa::row<std::uint64_t>(group.frame->registers(), i.operand[0]);
  const std::uint64_t address = target[first_lane(group.lanes)];
  for_lanes(same, [&](unsigned lane) {
    if (target[lane] != address) same &= ~bit(lane);
  });
  const std::uint64_t number = (address - function_window) / function_stride;
  if (address < function_window || address % function_stride != 0 ||
      number >= parts_.program.functions.size())
    parts_.findings.crash(i, fmt::format("an indirect call to {:#x}, which is not a function", address));
  return parts_.program.functions[number];
}

void Executor::call(Warp& warp, std::size_t index, const Instruction& i) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  LaneMask lanes = warp.groups[index].lanes;
  parts_.shadow.decided({warp, *warp.groups[index].frame, i, i.operand[0], lanes, Decision::Of::callee});
  const FunctionCode& code = callee(warp.groups[index], i, lanes);
  warp.restrict_to(index, lanes);
  DivergentGroup& group = warp.groups[index];
  Frame* caller = group.frame;
  if (code.parameters.size() != detail.arguments.size() || code.returns.size() != detail.returns.size())
    parts_.findings.crash(i, fmt::format("{} is called with {} arguments but takes {}", code.name,
                                         detail.arguments.size(), code.parameters.size()));
  const std::uint32_t local_base = (caller->local_base + caller->code->local_bytes + 15) / 16 * 16;
  if (caller->depth == deepest_call || local_base + code.local_bytes > largest_stack)
    parts_.findings.crash(
        i, fmt::format("stack overflow: calls are {} deep and use {} bytes", caller->depth + 1, local_base));
  if (code.local_bytes != 0) warp.begin_local(lanes, local_base, code.local_bytes, parts_.fill);
  Frame* frame = warp.new_frame(code);
  frame->parent = caller;
  frame->return_pc = group.pc + 1;
  frame->call_detail = i.detail;
  frame->local_base = local_base;
  frame->depth = caller->depth + 1;
  frame->lanes = lane_count(lanes);
  parts_.shadow.frame_begins(warp, *frame, lanes);
  for (std::size_t k = 0; k < detail.arguments.size(); ++k)
    move_slot(*frame, code.parameters[k], *caller, detail.arguments[k], lanes);
  group.join = warp.new_join(group.pc + 1, caller, lanes, group.join);
  group.frame = frame;
  group.pc = 0;
}

void Executor::return_lanes(Warp& warp, std::size_t index) {
  const LaneMask lanes = warp.groups[index].lanes;
  Frame* frame = warp.groups[index].frame;
  // Joins inside the function no longer wait for these lanes.
  Join* join = warp.groups[index].join;
  std::vector<Join*> left;
  while (join && join->frame == frame) {
    left.push_back(join);
    join = join->parent;
  }
  DivergentGroup& group = warp.groups[index];
  Frame* caller = frame->parent;
  const MachineOperands& detail = parts_.program.details[frame->call_detail];
  for (std::size_t k = 0; k < detail.returns.size(); ++k)
    move_slot(*caller, detail.returns[k], *frame, frame->code->returns[k], lanes);
  group.frame = caller;
  group.pc = frame->return_pc;
  group.join = join;
  frame->lanes -= lane_count(lanes);
  if (frame->lanes == 0) warp.release_frame(frame);
  for (Join* inner : left) warp.leave(inner, lanes);
}

}  // namespace foldproof::emulated
