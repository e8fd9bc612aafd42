#include "devices/emulated/synchronization/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using isa::warp_size;
using State = DivergentGroup::State;

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

// The groups that wait continue; `visit` is called for each of them first.
template <class Waits, class Visit>
void resume(Warp& warp, const Choices& choices, Waits waits, Visit visit) {
  bool moved = false;
  for (DivergentGroup& group : warp.groups) {
    if (!waits(group)) continue;
    visit(group);
    group.state = State::ready;
    ++group.pc;
    moved = true;
  }
  if (moved && !choices.lane_by_lane()) warp.merge_ready();
}

}  // namespace

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
    if (i.action == Action::barrier_reduce) {
      parts_.shadow.decided({warp, *group.frame, i, i.operand[3], group.lanes, Decision::Of::barrier_vote});
      barrier.true_count += lane_count(isa::mask(group.frame->registers(), i.operand[3]) & group.lanes);
      barrier.vote_count += lane_count(group.lanes);
    }
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

void BlockBarriers::release(Block& block, unsigned number) {
  parts_.progress.changed();
  parts_.events.emit_barrier_completion(block, number);
  const Barrier& barrier = block.barriers[number];
  const auto waits = [&](const DivergentGroup& group) {
    return group.state == State::barrier && group.barrier == number;
  };
  for (auto& warp : block.warps)
    resume(*warp, parts_.choices, waits, [&](const DivergentGroup& group) {
      if (barrier.vote_count == 0 || group.instruction().action != Action::barrier_reduce) return;
      parts_.shadow.fresh(*group.frame, std::array{group.instruction().operand[0]}, group.lanes);
      write_result(barrier, group);
    });
  block.barriers[number].reset();
  block.barriers_in_use &= ~bit(number);
}

void ClusterBarriers::arrive(Warp& warp, const Instruction& i, LaneMask lanes) {
  Cluster& cluster = *warp.block->cluster;
  parts_.events.emit_cluster_arrival(warp, lanes, i);
  const std::size_t warps = warp.block->warps.size();
  cluster.arrived.resize(cluster.blocks.size() * warps);
  cluster.arrived[warp.block->rank * warps + warp.index] |= lanes;
  warp.came_to_cluster = true;
  for_lanes(lanes, [&](unsigned lane) { warp.cluster_arrivals[lane] = cluster.phase + 1; });
  recheck(cluster);
}

bool ClusterBarriers::wait(Warp& warp, std::size_t index) {
  DivergentGroup& group = warp.groups[index];
  parts_.events.emit_cluster_wait_begin(warp, group.lanes, group.instruction());
  std::uint64_t phase = 0;
  for_lanes(group.lanes, [&](unsigned lane) { phase = std::max(phase, warp.cluster_arrivals[lane]); });
  if (warp.block->cluster->phase >= phase) {
    parts_.events.emit_cluster_wait(warp, group.lanes, group.instruction());
    ++group.pc;
    return true;
  }
  group.state = State::cluster;
  group.until_phase = phase;
  return false;
}

bool ClusterBarriers::is_complete(const Cluster& cluster) {
  if (cluster.arrived.empty()) return false;
  const std::size_t warps = cluster.arrived.size() / cluster.blocks.size();
  for (std::size_t b = 0; b < cluster.blocks.size(); ++b) {
    if (!cluster.blocks[b]->started) return false;
    for (std::size_t w = 0; w < warps; ++w)
      if ((cluster.arrived[b * warps + w] | cluster.blocks[b]->warps[w]->exited) != all_lanes) return false;
  }
  return true;
}

void ClusterBarriers::recheck(Cluster& cluster) {
  if (!is_complete(cluster)) return;
  cluster.arrived.clear();
  ++cluster.phase;
  parts_.progress.changed();
  parts_.events.emit_cluster_completion(cluster);
  const auto waits = [&](const DivergentGroup& group) {
    return group.state == State::cluster && group.until_phase <= cluster.phase;
  };
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps)
      resume(*warp, parts_.choices, waits, [&](const DivergentGroup& group) {
        parts_.events.emit_cluster_wait(*warp, group.lanes, group.instruction());
      });
}

}  // namespace foldproof::emulated
