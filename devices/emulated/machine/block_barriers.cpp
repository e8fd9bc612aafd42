// The 16 barriers of a block: who comes, who is counted, who goes on.
#include <fmt/format.h>

#include <algorithm>

#include "devices/emulated/machine/columns.h"
#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;
using State = Split::State;

}  // namespace

// The barrier that a register names; lanes that name another one than the first come to theirs by themselves.
std::uint32_t Grid::barrier_in_register(Warp& warp, std::size_t index) {
  const Instruction& i = at(warp.splits[index]);
  const Frame& frame = *warp.splits[index].frame;
  const auto* numbers = isa::row<std::uint32_t>(frame.registers(), i.operand[1]);
  restrict_to(warp, index, lanes_that_agree(numbers, warp.splits[index].lanes));
  if (frame.taint.any())
    check_choice(warp, frame, i, i.operand[1], warp.splits[index].lanes, "a barrier's number");
  return numbers[first_lane(warp.splits[index].lanes)];
}

void Grid::barrier(Warp& warp, std::size_t index) {
  const Instruction& i = at(warp.splits[index]);
  const std::uint32_t immediate = program_.details[i.detail].barrier;
  const std::uint32_t number = immediate != isa::no_operand ? immediate : barrier_in_register(warp, index);
  Split& split = warp.splits[index];
  const std::uint32_t threads =
      i.operand[2] == isa::no_operand
          ? 0
          : isa::row<std::uint32_t>(split.frame->registers(), i.operand[2])[first_lane(split.lanes)];
  Block& block = *warp.block;
  if (number >= block.barriers.size())
    end(make_finding(Kind::crash, i,
                     fmt::format("barrier {} does not exist; a block has 16, numbered from 0", number)));
  if (threads % warp_size != 0)
    end(make_finding(Kind::crash, i,
                     fmt::format("a barrier for {} threads: the number must be a multiple of 32", threads)));
  Barrier& barrier = block.barriers[number];
  if ((block.barriers_in_use & bit(number)) == 0) barrier.arrivals.resize(block.warps.size());
  block.barriers_in_use |= bit(number);
  barrier.arrivals[warp.index].come(split.lanes, warp.exited);
  if (!of_barriers_.empty()) announce_barrier(warp, split, number, threads);
  barrier.threads = std::max(barrier.threads, threads);
  if (i.action == Action::barrier_arrive) {
    ++split.pc;
  } else {
    split.state = State::barrier;
    split.barrier = static_cast<std::uint8_t>(number);
    if (i.action == Action::barrier_reduce) count_votes(warp, barrier, split);
  }
  if (complete(block, barrier)) release(block, number);
}

void Grid::count_votes(const Warp& warp, Barrier& barrier, const Split& split) {
  const Instruction& i = at(split);
  check_choice(warp, *split.frame, i, i.operand[3], split.lanes, "a barrier's vote");
  if (follows()) follow_decision(*split.frame, i.operand[3], split.lanes);
  const LaneMask votes = isa::mask(split.frame->registers(), i.operand[3]) & split.lanes;
  barrier.true_count += lane_count(votes);
  barrier.vote_count += lane_count(split.lanes);
}

bool Grid::complete(const Block& block, Barrier& barrier) {
  if (barrier.threads != 0) {
    std::uint64_t threads = 0;
    for (const Arrivals& warp : barrier.arrivals) threads += std::uint64_t{warp.of_warp} * warp_size;
    return threads >= barrier.threads;
  }
  std::size_t& w = barrier.first_missing;
  while (w < barrier.arrivals.size() && (barrier.arrivals[w].of_warp != 0 || block.warps[w]->done())) ++w;
  return w == barrier.arrivals.size();
}

void Grid::give_result(const Barrier& barrier, const Split& split) const {
  const Instruction& i = at(split);
  split.frame->taint.define(i.operand[0], split.lanes);
  split.frame->nodes.forget(i.operand[0], split.lanes);
  std::byte* registers = split.frame->registers();
  const bool any = i.form->has("or");
  for_lanes(split.lanes, [&](unsigned lane) {
    if (i.form->type != isa::Type::pred)
      set_column(registers, i.operand[0], lane, 4, barrier.true_count);
    else
      set_predicate(registers, i.operand[0], lane,
                    any ? barrier.true_count > 0 : barrier.true_count == barrier.vote_count);
  });
}

void Grid::release(Block& block, unsigned number) {
  ++changes_;
  announce_completion(block, number);
  const Barrier& barrier = block.barriers[number];
  for (auto& warp : block.warps) {
    bool moved = false;
    for (Split& split : warp->splits) {
      if (split.state != State::barrier || split.barrier != number) continue;
      if (barrier.vote_count != 0 && at(split).action == Action::barrier_reduce) give_result(barrier, split);
      split.state = State::ready;
      ++split.pc;
      moved = true;
    }
    if (moved && warp->splits.size() > 1) merge_ready(*warp);
  }
  block.barriers[number].reset();
  block.barriers_in_use &= ~bit(number);
}

}  // namespace foldproof::machine
