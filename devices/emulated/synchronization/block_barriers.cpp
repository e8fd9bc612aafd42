#include "devices/emulated/synchronization/block_barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using isa::warp_size;
using State = DivergentGroup::State;

// The barrier number in a register: that of the first lane; lanes with other numbers are split off.
std::uint32_t BlockBarriers::barrier_in_register(Warp& warp, std::size_t index) {
  const Instruction& i = warp.groups[index].instruction();
  Frame& frame = *warp.groups[index].frame;
  const auto* numbers = isa::row<std::uint32_t>(frame.registers(), i.operand[1]);
  warp.restrict_to(index, lanes_that_agree(numbers, warp.groups[index].lanes));
  const LaneMask lanes = warp.groups[index].lanes;
  parts_.shadow.decided({warp, frame, i, i.operand[1], lanes, Decision::Of::barrier_number});
  return numbers[first_lane(lanes)];
}

// The number of threads in a register.
std::uint32_t BlockBarriers::wanted_threads(const DivergentGroup& group) const {
  const Instruction& i = group.instruction();
  const std::uint32_t threads =
      isa::row<std::uint32_t>(group.frame->registers(), i.operand[2])[first_lane(group.lanes)];
  if (threads % warp_size != 0)
    parts_.findings.crash(
        i, fmt::format("a barrier for {} threads: the number must be a multiple of 32", threads));
  return threads;
}

void BlockBarriers::arrive(Warp& warp, std::size_t index) {
  const Instruction& i = warp.groups[index].instruction();
  const std::uint32_t immediate = parts_.program.details[i.detail].barrier;
  const std::uint32_t number = immediate != isa::no_operand ? immediate : barrier_in_register(warp, index);
  DivergentGroup& group = warp.groups[index];
  Block& block = *warp.block;
  if (number >= block.barriers.size())
    parts_.findings.crash(i,
                          fmt::format("barrier {} does not exist; a block has 16, numbered from 0", number));
  const std::uint32_t threads = i.operand[2] == isa::no_operand ? 0 : wanted_threads(group);
  Barrier& barrier = block.barriers[number];
  if ((block.barriers_in_use & bit(number)) == 0) barrier.arrivals.resize(block.warps.size());
  block.barriers_in_use |= bit(number);
  barrier.arrivals[warp.index].come(group.lanes, warp.exited);
  parts_.events.emit_barrier_arrival(warp, group, number, threads);
  barrier.threads = std::max(barrier.threads, threads);
  if (i.action == Action::barrier_arrive) {
    ++group.pc;
  } else {
    group.state = State::barrier;
    group.barrier = static_cast<std::uint8_t>(number);
    if (i.action == Action::barrier_reduce) count_votes(warp, barrier, group);
  }
  if (is_complete(block, barrier)) release(block, number);
}

void BlockBarriers::recheck(Warp& warp) {
  Block& block = *warp.block;
  for_lanes(block.barriers_in_use, [&](unsigned number) {
    Barrier& barrier = block.barriers[number];
    barrier.arrivals[warp.index].settle(warp.exited);
    if (is_complete(block, barrier)) release(block, number);
  });
}

void BlockBarriers::count_votes(const Warp& warp, Barrier& barrier, const DivergentGroup& group) {
  const Instruction& i = group.instruction();
  parts_.shadow.decided({warp, *group.frame, i, i.operand[3], group.lanes, Decision::Of::barrier_vote});
  const LaneMask votes = isa::mask(group.frame->registers(), i.operand[3]) & group.lanes;
  barrier.true_count += lane_count(votes);
  barrier.vote_count += lane_count(group.lanes);
}

bool BlockBarriers::is_complete(const Block& block, Barrier& barrier) {
  if (barrier.threads != 0) {
    std::uint64_t threads = 0;
    for (const Arrivals& warp : barrier.arrivals) threads += std::uint64_t{warp.of_warp} * warp_size;
    return threads >= barrier.threads;
  }
  std::size_t& w = barrier.first_missing;
  while (w < barrier.arrivals.size() && (barrier.arrivals[w].of_warp != 0 || block.warps[w]->done())) ++w;
  return w == barrier.arrivals.size();
}

namespace {

// Writes the result of barrier.red.
void write_result(const Barrier& barrier, const DivergentGroup& group) {
  const Instruction& i = group.instruction();
  std::byte* registers = group.frame->registers();
  const bool any = i.form->has("or");
  for_lanes(group.lanes, [&](unsigned lane) {
    if (i.form->type != isa::Type::pred)
      set_column(registers, i.operand[0], lane, 4, barrier.true_count);
    else
      set_predicate(registers, i.operand[0], lane,
                    any ? barrier.true_count > 0 : barrier.true_count == barrier.vote_count);
  });
}

}  // namespace

void BlockBarriers::release(Block& block, unsigned number) {
  parts_.progress.changed();
  parts_.events.emit_barrier_completion(block, number);
  const Barrier& barrier = block.barriers[number];
  for (auto& warp : block.warps) {
    bool moved = false;
    for (DivergentGroup& group : warp->groups) {
      if (group.state != State::barrier || group.barrier != number) continue;
      if (barrier.vote_count != 0 && group.instruction().action == Action::barrier_reduce) {
        parts_.shadow.fresh(*group.frame, std::array{group.instruction().operand[0]}, group.lanes);
        write_result(barrier, group);
      }
      group.state = State::ready;
      ++group.pc;
      moved = true;
    }
    if (moved && warp->groups.size() > 1 && !parts_.choices.lane_by_lane()) warp->merge_ready();
  }
  block.barriers[number].reset();
  block.barriers_in_use &= ~bit(number);
}

}  // namespace foldproof::emulated
