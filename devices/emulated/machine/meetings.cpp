// Lanes of a warp that meet at a .sync instruction, and what they do together.
#include <algorithm>
#include <array>

#include "devices/emulated/machine/columns.h"
#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;
using State = Split::State;

}  // namespace

// True when the meeting was held at once and the split goes on; false when the split waits, or others moved
// too.
bool Grid::meet(Warp& warp, std::size_t index) {
  const Instruction& i = at(warp.splits[index]);
  const Detail& detail = program_.details[i.detail];
  LaneMask mask = isa::all_lanes;
  if (detail.member_mask != isa::no_operand) {
    check_choice(warp, *warp.splits[index].frame, i, detail.member_mask, warp.splits[index].lanes,
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

LaneMask Grid::lanes_of(const Warp& warp, Members members) {
  LaneMask present = 0;
  for (const std::size_t k : members) present |= warp.splits[k].lanes;
  return present;
}

// ISA 9.7.9.6. A source lane that takes no part has no value: the result is undefined.
void Grid::shuffle(Warp& warp, Members members) {
  constexpr std::uint64_t absent_at = std::uint64_t{1} << 41;  // apart from memory and registers
  std::array<std::uint32_t, warp_size> source;
  for (unsigned lane = 0; lane < warp_size; ++lane)
    source[lane] = filling().word(local_memory(warp.block->number, warp.index * warp_size + lane), absent_at);
  const LaneMask present = lanes_of(warp, members);
  const auto held = follows() ? held_by(warp, members, 2) : std::array<NodeId, warp_size>{};
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
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
    if (follows()) {
      follow_decision(*split.frame, i.operand[3], split.lanes);
      for_lanes(split.lanes,
                [&](unsigned lane) { split.frame->nodes.set(i.operand[0], lane, held[taken[lane]]); });
      if (i.operand[1] != isa::no_operand) split.frame->nodes.forget(i.operand[1], split.lanes);
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
  if (follows()) follow_votes(warp, members, 1);
  const LaneMask present = lanes_of(warp, members);
  LaneMask votes = 0;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
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
  if (follows())
    follow_votes(warp, members, program_.details[at(warp.splits[members[0]]).detail].operands - 2u);
  std::array<std::uint64_t, warp_size> value{};
  const LaneMask present = lanes_of(warp, members);
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Detail& detail = program_.details[at(split).detail];
    const std::uint32_t a = at(split).operand[detail.operands - 2u];
    for_lanes(split.lanes, [&](unsigned lane) {
      value[lane] = column(split.frame->registers(), a, lane, detail.register_bytes);
    });
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
  const LaneMask present = lanes_of(warp, members);
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    for_lanes(split.lanes, [&](unsigned lane) {
      value[lane] = column(split.frame->registers(), at(split).operand[1], lane, 4);
    });
  }
  const NodeId total = follows() ? reduced(warp, members) : 0;
  const unsigned first = first_lane(present);
  std::uint64_t folded = value[first];
  // .abs and the canonical NaN are for a single member too; combining it with itself changes no extremum.
  if (form.type == isa::Type::f32) folded = form.combine(folded, folded, 0);
  for_lanes(present & ~bit(first), [&](unsigned lane) { folded = form.combine(folded, value[lane], 0); });
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    for_lanes(split.lanes, [&](unsigned lane) {
      set_column(split.frame->registers(), at(split).operand[0], lane, 4, folded);
      if (follows()) split.frame->nodes.set(at(split).operand[0], lane, total);
    });
  }
}

// Which lane is elected is unspecified: the lowest, or any under a random schedule.
void Grid::elect(Warp& warp, Members members) {
  const LaneMask present = lanes_of(warp, members);
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
  const LaneMask present = lanes_of(warp, members);
  for (const std::size_t k : members)
    if (warp.splits[k].frame != first.frame || warp.splits[k].pc != first.pc)
      throw Unsupported("lanes of a warp come to a matrix instruction from different places in the program",
                        program_.position(i));
  if (present != isa::all_lanes)
    end(make_finding(Kind::crash, i, "a matrix instruction needs all 32 lanes of the warp"));
  if (follows())
    provenance_->expressions.leave_gap(
        "it uses matrix instructions, through which values are not followed yet");
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

}  // namespace foldproof::machine
