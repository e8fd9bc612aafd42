// Who waits for whom: meetings of lanes (.sync instructions), barriers of a block, barriers of a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;
using State = Split::State;

// Lanes of `lanes` whose 32-bit column equals that of the first.
LaneMask lanes_that_agree(const std::uint32_t* row, LaneMask lanes) {
  const std::uint32_t value = row[first_lane(lanes)];
  std::uint32_t differences = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) differences |= row[lane] ^ value;
  if (differences == 0) return lanes;
  LaneMask same = 0;
  for_lanes(lanes, [&](unsigned lane) {
    if (row[lane] == value) same |= bit(lane);
  });
  return same;
}

void set_predicate(std::byte* registers, std::uint32_t offset, unsigned lane, bool value) {
  if (offset == isa::no_operand) return;
  LaneMask& mask = isa::mask(registers, offset);
  mask = value ? mask | bit(lane) : mask & ~bit(lane);
}

std::uint64_t column(const std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, registers + offset + lane * bytes, bytes);
  return value;
}

void set_column(std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes,
                std::uint64_t value) {
  std::memcpy(registers + offset + lane * bytes, &value, bytes);
}

}  // namespace

// --- Meetings of lanes ---

// True when the meeting was held at once and the split goes on; false when the split waits, or others moved
// too.
bool Grid::meet(Warp& warp, std::size_t index) {
  const Instruction& i = at(warp.splits[index]);
  const Detail& detail = program_.details[i.detail];
  LaneMask mask = isa::all_lanes;
  if (detail.member_mask != isa::no_operand) {
    check_sink(warp, *warp.splits[index].frame, i, detail.member_mask, warp.splits[index].lanes,
               "a member mask");
    const auto* row = isa::row<std::uint32_t>(warp.splits[index].frame->registers(), detail.member_mask);
    const LaneMask same = lanes_that_agree(row, warp.splits[index].lanes);
    mask = row[first_lane(same)];
    restrict_to(warp, index, same);  // the others have a meeting of their own
  }
  Split& split = warp.splits[index];
  // A lane that its own mask leaves out is undefined behaviour; nobody waits for it and it waits for nobody.
  const bool outside = (split.lanes & ~mask) != 0;
  split.member_mask = mask;
  if (watched()) announce_arrival(warp, split, i);
  if (outside || (mask & ~warp.exited & ~split.lanes) == 0) {
    const std::size_t only[] = {index};
    hold_meeting(warp, only);
    return true;
  }
  split.state = State::meeting;
  try_meeting(warp, mask, i.form);
  return false;
}

void Grid::try_meeting(Warp& warp, LaneMask mask, const isa::Form* form) {
  std::vector<std::size_t> members;
  LaneMask present = 0;
  for (std::size_t k = 0; k < warp.splits.size(); ++k) {
    const Split& split = warp.splits[k];
    if (split.state != State::meeting || split.member_mask != mask || at(split).form != form) continue;
    members.push_back(k);
    present |= split.lanes;
  }
  if (members.empty() || (mask & ~warp.exited & ~present) != 0) return;
  hold_meeting(warp, members);
  merge_ready(warp);
}

void Grid::hold_meeting(Warp& warp, Members members) {
  switch (at(warp.splits[members[0]]).action) {
    case Action::shuffle: shuffle(warp, members); break;
    case Action::vote: vote(warp, members); break;
    case Action::match: match(warp, members); break;
    case Action::warp_reduce: warp_reduce(warp, members); break;
    case Action::elect: elect(warp, members); break;
    case Action::load_matrix:
    case Action::store_matrix:
    case Action::matrix_multiply: whole_warp(warp, members); break;
    default: break;  // bar.warp.sync: to have met is all
  }
  if (watched()) announce_meeting(warp, members);
  for (const std::size_t k : members) {
    warp.splits[k].state = State::ready;
    ++warp.splits[k].pc;
  }
}

// ISA 9.7.9.6. A source lane that takes no part has no value: the result is poison.
void Grid::shuffle(Warp& warp, Members members) {
  std::array<std::uint32_t, warp_size> source;
  source.fill(poison);
  LaneMask present = 0;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    present |= split.lanes;
    const auto* a = isa::row<std::uint32_t>(split.frame->registers(), at(split).operand[2]);
    for_lanes(split.lanes, [&](unsigned lane) { source[lane] = a[lane]; });
  }
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Instruction& i = at(split);
    std::byte* registers = split.frame->registers();
    const auto* b = isa::row<std::uint32_t>(registers, i.operand[3]);
    const auto* c = isa::row<std::uint32_t>(registers, i.operand[4]);
    auto* d = isa::row<std::uint32_t>(registers, i.operand[0]);
    LaneMask in_range = 0;
    std::array<std::uint32_t, warp_size> result;
    std::array<std::uint8_t, warp_size> taken;
    for_lanes(split.lanes, [&](unsigned lane) {
      const unsigned by = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
      const int last = static_cast<int>((lane & segment) | (clamp & ~segment));
      const unsigned first = lane & segment;
      int from = 0;
      switch (i.form->shuffle) {
        case isa::ShuffleKind::up: from = static_cast<int>(lane) - static_cast<int>(by); break;
        case isa::ShuffleKind::down: from = static_cast<int>(lane + by); break;
        case isa::ShuffleKind::bfly: from = static_cast<int>(lane ^ by); break;
        default: from = static_cast<int>(first | (by & ~segment));
      }
      const bool valid = i.form->shuffle == isa::ShuffleKind::up ? from >= last : from <= last;
      taken[lane] = static_cast<std::uint8_t>(valid ? from : static_cast<int>(lane));
      result[lane] = source[taken[lane]];
      if (valid) in_range |= bit(lane);
    });
    if (tracks()) {
      check_sink(warp, *split.frame, i, i.operand[3], split.lanes, "the source lane of a shuffle");
      shuffle_definedness(warp, members, split, present, taken);
    }
    for_lanes(split.lanes, [&](unsigned lane) {
      d[lane] = result[lane];
      set_predicate(registers, i.operand[1], lane, contains(in_range, lane));
    });
  }
}

void Grid::vote(Warp& warp, Members members) {
  if (tracks())
    gather_definedness(warp, members, 1, at(warp.splits[members[0]]).form->vote == isa::VoteKind::ballot);
  LaneMask present = 0, votes = 0;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    present |= split.lanes;
    votes |= isa::mask(split.frame->registers(), at(split).operand[1]) & split.lanes;
  }
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Instruction& i = at(split);
    std::byte* registers = split.frame->registers();
    for_lanes(split.lanes, [&](unsigned lane) {
      switch (i.form->vote) {
        case isa::VoteKind::ballot: isa::row<std::uint32_t>(registers, i.operand[0])[lane] = votes; break;
        case isa::VoteKind::all: set_predicate(registers, i.operand[0], lane, votes == present); break;
        case isa::VoteKind::any: set_predicate(registers, i.operand[0], lane, votes != 0); break;
        default: set_predicate(registers, i.operand[0], lane, votes == 0 || votes == present);
      }
    });
  }
}

void Grid::match(Warp& warp, Members members) {
  if (tracks())
    gather_definedness(warp, members, program_.details[at(warp.splits[members[0]]).detail].operands - 2u,
                       false);
  std::array<std::uint64_t, warp_size> value{};
  LaneMask present = 0;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Detail& detail = program_.details[at(split).detail];
    const std::uint32_t a = at(split).operand[detail.operands - 2u];
    for_lanes(split.lanes, [&](unsigned lane) {
      value[lane] = column(split.frame->registers(), a, lane, detail.register_bytes);
    });
    present |= split.lanes;
  }
  auto equal_to = [&](unsigned lane) {
    LaneMask same = 0;
    for_lanes(present, [&](unsigned other) {
      if (value[other] == value[lane]) same |= bit(other);
    });
    return same;
  };
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Instruction& i = at(split);
    const bool all = i.form->has("all");
    const bool has_predicate = program_.details[i.detail].operands == 4;
    for_lanes(split.lanes, [&](unsigned lane) {
      const LaneMask same = equal_to(lane);
      const bool agree = same == present;
      isa::row<std::uint32_t>(split.frame->registers(), i.operand[0])[lane] = all && !agree ? 0 : same;
      if (has_predicate) set_predicate(split.frame->registers(), i.operand[1], lane, agree);
    });
  }
}

void Grid::warp_reduce(Warp& warp, Members members) {
  if (tracks()) gather_definedness(warp, members, 1, false);
  const isa::Form& form = *at(warp.splits[members[0]]).form;
  std::array<std::uint64_t, warp_size> value{};
  LaneMask present = 0;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    for_lanes(split.lanes, [&](unsigned lane) {
      value[lane] = column(split.frame->registers(), at(split).operand[1], lane, 4);
    });
    present |= split.lanes;
  }
  const unsigned first = first_lane(present);
  std::uint64_t folded = value[first];
  // .abs and the canonical NaN are for a single member too; combining it with itself changes no extremum.
  if (form.type == isa::Type::f32) folded = form.combine(folded, folded, 0);
  for_lanes(present & ~bit(first), [&](unsigned lane) { folded = form.combine(folded, value[lane], 0); });
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    for_lanes(split.lanes, [&](unsigned lane) {
      set_column(split.frame->registers(), at(split).operand[0], lane, 4, folded);
    });
  }
}

// Which lane is elected is unspecified: the lowest, or any under a random schedule.
void Grid::elect(Warp& warp, Members members) {
  LaneMask present = 0;
  for (const std::size_t k : members) present |= warp.splits[k].lanes;
  auto leader = first_lane(present);
  ++changes_;  // the next election may choose another
  if (schedule_.order == Schedule::Order::random)
    for (auto skip = random_() % lane_count(present); skip > 0; --skip)
      leader = first_lane(present & ~(bit(leader) | (bit(leader) - 1)));
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Instruction& i = at(split);
    define_results(*split.frame, i, split.lanes);
    for_lanes(split.lanes, [&](unsigned lane) {
      set_column(split.frame->registers(), i.operand[0], lane, 4, leader);
      set_predicate(split.frame->registers(), i.operand[1], lane, lane == leader);
    });
  }
}

// mma, ldmatrix, stmatrix work on the registers of the whole warp at once.
void Grid::whole_warp(Warp& warp, Members members) {
  const Split& first = warp.splits[members[0]];
  const Instruction& i = at(first);
  LaneMask present = 0;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    if (split.frame != first.frame || split.pc != first.pc)
      throw Unsupported("lanes of a warp come to a matrix instruction from different places in the program",
                        program_.position(i));
    present |= split.lanes;
  }
  if (present != isa::all_lanes)
    end(make_finding(Kind::crash, i, "a matrix instruction needs all 32 lanes of the warp"));
  if (i.action == Action::matrix_multiply && first.frame->taint.any())
    spread(*first.frame, i, present, present);
  if (i.action == Action::matrix_multiply)
    i.compute(first.frame->registers(), i, present);
  else
    matrix_access(warp, first, i, present);
}

// Lanes that stand at the same place with the same way ahead travel together again.
void Grid::merge_ready(Warp& warp) {
  if (lane_by_lane()) return;
  for (std::size_t a = 0; a < warp.splits.size(); ++a)
    for (std::size_t b = a + 1; b < warp.splits.size();) {
      Split& one = warp.splits[a];
      const Split& other = warp.splits[b];
      const bool alike = one.state == State::ready && other.state == State::ready && one.pc == other.pc &&
                         one.frame == other.frame && one.join == other.join;
      if (!alike) {
        ++b;
        continue;
      }
      one.lanes |= other.lanes;
      one.turn = std::max(one.turn, other.turn);
      warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(b));
    }
}

// --- Barriers of a block ---

void Grid::barrier(Warp& warp, std::size_t index) {
  const Instruction& i = at(warp.splits[index]);
  std::byte* registers = warp.splits[index].frame->registers();
  const auto* ids = isa::row<std::uint32_t>(registers, i.operand[1]);
  restrict_to(warp, index, lanes_that_agree(ids, warp.splits[index].lanes));
  const auto lane = first_lane(warp.splits[index].lanes);
  const std::uint32_t id = ids[lane];
  if (const Frame& frame = *warp.splits[index].frame; frame.taint.any()) {
    check_sink(warp, frame, i, i.operand[1], warp.splits[index].lanes, "a barrier's number");
    if (i.action == Action::barrier_reduce)
      check_sink(warp, frame, i, i.operand[3], warp.splits[index].lanes, "a barrier's vote");
  }
  const std::uint32_t threads =
      i.operand[2] == isa::no_operand ? 0 : isa::row<std::uint32_t>(registers, i.operand[2])[lane];
  if (id >= warp.block->barriers.size())
    end(make_finding(Kind::crash, i,
                     fmt::format("barrier {} does not exist; a block has 16, numbered from 0", id)));
  if (threads % warp_size != 0)
    end(make_finding(Kind::crash, i,
                     fmt::format("a barrier for {} threads: the number must be a multiple of 32", threads)));
  Block& block = *warp.block;
  Barrier& barrier = block.barriers[id];
  Split& split = warp.splits[index];
  barrier.in_use = true;
  barrier.arrivals.resize(block.warps.size());
  barrier.arrivals[warp.index].come(split.lanes, warp.exited);
  if (watched()) announce_barrier(warp, split.lanes, id, threads, i);
  barrier.threads = std::max(barrier.threads, threads);
  if (i.action == Action::barrier_arrive) {
    ++split.pc;
  } else {
    split.state = State::barrier;
    split.barrier = static_cast<std::uint8_t>(id);
    if (i.action == Action::barrier_reduce) count_votes(barrier, split, i);
  }
  if (complete(block, barrier)) release(block, id);
}

void Grid::count_votes(Barrier& barrier, const Split& split, const Instruction& i) const {
  const LaneMask votes = isa::mask(split.frame->registers(), i.operand[3]) & split.lanes;
  barrier.true_count += lane_count(votes);
  barrier.vote_count += lane_count(split.lanes);
}

bool Grid::complete(const Block& block, const Barrier& barrier) {
  std::uint64_t threads = 0;
  for (std::size_t w = 0; w < barrier.arrivals.size(); ++w) {
    const std::uint64_t arrivals = barrier.arrivals[w].of_warp;
    if (barrier.threads == 0 && arrivals == 0 && !block.warps[w]->done()) return false;
    threads += arrivals * warp_size;
  }
  return threads >= barrier.threads;
}

void Grid::give_result(const Barrier& barrier, const Split& split) const {
  const Instruction& i = at(split);
  split.frame->taint.define(i.operand[0], split.lanes);
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

void Grid::release(Block& block, unsigned id) {
  ++changes_;
  for (const auto& observer : observers_) observer->barrier_completes(number(block), id);
  Barrier& barrier = block.barriers[id];
  for (auto& warp : block.warps) {
    bool moved = false;
    for (Split& split : warp->splits) {
      if (split.state != State::barrier || split.barrier != id) continue;
      if (at(split).action == Action::barrier_reduce) give_result(barrier, split);
      split.state = State::ready;
      ++split.pc;
      moved = true;
    }
    if (moved && warp->splits.size() > 1) merge_ready(*warp);
  }
  barrier.reset();
}

// --- Barriers of a cluster ---

void Grid::cluster_arrive(Warp& warp, const Instruction& i, LaneMask lanes) {
  Cluster& cluster = *warp.block->cluster;
  if (watched()) announce_cluster_arrival(warp, lanes, i);
  const std::size_t warps = warp.block->warps.size();
  cluster.arrived.resize(cluster.blocks.size() * warps);
  cluster.arrived[warp.block->rank * warps + warp.index] |= lanes;
  for_lanes(lanes, [&](unsigned lane) { warp.cluster_arrivals[lane] = cluster.phase + 1; });
  check_cluster(cluster);
}

bool Grid::cluster_wait(Warp& warp, std::size_t index) {
  Split& split = warp.splits[index];
  std::uint64_t phase = 0;
  for_lanes(split.lanes, [&](unsigned lane) { phase = std::max(phase, warp.cluster_arrivals[lane]); });
  if (warp.block->cluster->phase >= phase) {
    if (watched()) announce_cluster_wait(warp, split.lanes, at(split));
    ++split.pc;
    return true;
  }
  split.state = State::cluster;
  split.until_phase = phase;
  return false;
}

void Grid::check_cluster(Cluster& cluster) {
  if (cluster.arrived.empty()) return;
  const std::size_t warps = cluster.arrived.size() / cluster.blocks.size();
  for (std::size_t b = 0; b < cluster.blocks.size(); ++b) {
    if (!cluster.blocks[b]->started) return;
    for (std::size_t w = 0; w < warps; ++w)
      if ((cluster.arrived[b * warps + w] | cluster.blocks[b]->warps[w]->exited) != isa::all_lanes) return;
  }
  cluster.arrived.clear();
  ++cluster.phase;
  ++changes_;
  for (const auto& observer : observers_) observer->cluster_completes(cluster.number);
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps) {
      bool moved = false;
      for (Split& split : warp->splits)
        if (split.state == State::cluster && split.until_phase <= cluster.phase) {
          if (watched()) announce_cluster_wait(*warp, split.lanes, at(split));
          split.state = State::ready;
          ++split.pc;
          moved = true;
        }
      if (moved && warp->splits.size() > 1) merge_ready(*warp);
    }
}

// --- Exits ---

// Whoever waited for lanes that have just ended waits for them no longer.
void Grid::recheck_after_exit(Warp& warp) {
  Block& block = *warp.block;
  std::vector<std::pair<LaneMask, const isa::Form*>> meetings;
  for (const Split& split : warp.splits)
    if (split.state == State::meeting) meetings.emplace_back(split.member_mask, at(split).form);
  for (const auto& [mask, form] : meetings) try_meeting(warp, mask, form);
  for (unsigned id = 0; id < block.barriers.size(); ++id) {
    Barrier& barrier = block.barriers[id];
    if (!barrier.in_use) continue;
    barrier.arrivals[warp.index].settle(warp.exited);
    if (complete(block, barrier)) release(block, id);
  }
  check_cluster(*block.cluster);
  if (!warp.done()) return;
  if (--block.live_warps != 0) return;
  --block.cluster->live_blocks;
  for (const auto& observer : observers_) observer->block_ends(number(block));
}

}  // namespace foldproof::machine
