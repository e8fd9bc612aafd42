// Runs one split: computing here, all else by the functions that grid.h lists file by file.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

// What a poll costs of a time slice besides itself: who waits for others shall soon make room for them.
constexpr std::uint64_t poll_cost = 2048;

// Which lanes a guard lets through.
LaneMask guarded(std::byte* registers, const Instruction& i, LaneMask lanes) {
  if (i.guard == isa::no_operand) return lanes;
  const LaneMask predicate = isa::mask(registers, i.guard);
  return lanes & (i.guard_negated ? ~predicate : predicate);
}

// Where a split stands while it runs; its own pc is brought up to date when others may look.
struct Cursor {
  explicit Cursor(Split& of)
      : split(&of),
        taint(&of.frame->taint),
        registers(of.frame->registers()),
        code(of.frame->code->instructions.data()),
        pc(of.pc) {}
  Split* split;
  const Taint* taint;
  std::byte* registers;
  const Instruction* code;
  std::uint32_t pc;
};

}  // namespace

template <bool tracks, bool counts, bool follows>
Grid::Slice Grid::run_split(Warp& warp, std::size_t index, std::uint64_t quantum) {
  Cursor at(warp.splits[index]);
  std::uint64_t uncounted = quantum;
  const auto count = [&] {
    report_.warp_instructions += uncounted - quantum;
    uncounted = quantum;
  };
  while (quantum != 0) {
    const Instruction& i = at.code[at.pc];
    const LaneMask active = guarded(at.registers, i, at.split->lanes);
    if (counts && i.action != Action::join) announce_execution(warp, *at.split, i, active);
    if (tracks && at.taint->any()) {
      if (i.action == Action::compute)
        spread(*at.split->frame, i, at.split->lanes, active);
      else if (i.guard != isa::no_operand)
        check_sink(warp, *at.split->frame, i, i.guard, at.split->lanes,
                   i.action == Action::branch ? "the branch" : "whether this is executed");
    }
    if (follows && i.guard != isa::no_operand) follow_decision(*at.split->frame, i.guard, at.split->lanes);
    if (i.action == Action::compute) {
      --quantum;
      if (follows)
        compute_followed(*at.split->frame, i, active);
      else if (active != 0)
        i.compute(at.registers, i, active);
      ++at.pc;
      continue;
    }
    if (i.action == Action::join && !at.split->join) {  // nobody is missing
      ++at.pc;
      continue;
    }
    at.split->pc = at.pc;
    if (i.action == Action::join) {
      count();
      if (!arrive_at_join(warp, index)) return Slice::blocked;
      at.pc = at.split->pc;
      continue;
    }
    --quantum;
    if (i.action == Action::special) count();  // clocks read what was executed
    if (active == 0) {
      ++at.pc;
    } else if (i.action == Action::branch) {
      const bool together = active == at.split->lanes;
      if (!together) diverge(warp, index, i, active);
      at.split = &warp.splits[index];
      at.pc = together ? i.target : at.pc + 1;
    } else if (execute_in_place(warp, *at.split, i, active)) {
      ++at.pc;
      if (!i.repeats) continue;
      count();
      waited_ += poll_cost;
      uncounted = quantum -= std::min(quantum, poll_cost);
    } else {
      count();
      if (active != at.split->lanes) separate(warp, index, active);
      if (const std::optional<Slice> ended = execute_moving(warp, index, i, active)) return *ended;
      if (index >= warp.splits.size()) return Slice::expired;
      at = Cursor(warp.splits[index]);
      if (at.split->state != Split::State::ready) return Slice::blocked;
    }
  }
  count();
  at.split->pc = at.pc;
  ++at.split->turn;
  return Slice::expired;
}

// A program that nobody tracks or counts pays for neither.
Grid::Slice Grid::run_split(Warp& warp, std::size_t index, std::uint64_t quantum) {
  if (provenance_ && provenance_->is_full())
    provenance_->expressions.leave_gap("it makes more values than are kept");
  const auto run = [&](auto tracked, auto counted, auto followed) {
    return run_split<tracked(), counted(), followed()>(warp, index, quantum);
  };
  const auto decide = [](bool is, const auto& then) {
    return is ? then(std::true_type{}) : then(std::false_type{});
  };
  return decide(tracks(), [&](auto tracked) {
    return decide(counts(), [&](auto counted) {
      return decide(follows(), [&](auto followed) { return run(tracked, counted, followed); });
    });
  });
}

// Actions after which the split stands behind the instruction. False: the action is none of those.
bool Grid::execute_in_place(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  switch (i.action) {
    case Action::special: read_special(warp, split, i, lanes); break;
    case Action::frame_address: read_frame_address(split, i, lanes); break;
    case Action::load: load(warp, split, i, lanes); return true;
    case Action::store: store(warp, split, i, lanes); return true;
    case Action::atomic:
    case Action::reduction: atomic(warp, split, i, lanes); return true;
    case Action::async_copy: async_copy(warp, split, i, lanes); return true;
    case Action::mbarrier: mbarrier(warp, split, i, lanes); break;
    case Action::cluster_rank: read_cluster_rank(warp, split, i, lanes); break;
    case Action::activemask: read_activemask(split, i, lanes); break;
    case Action::async_commit: close_group(warp, lanes); return true;
    case Action::async_wait: wait_for_copies(warp, split, i, lanes); return true;
    case Action::prefetch:
    case Action::pause: return true;
    case Action::fence: announce_fence(warp, i, lanes); return true;
    default: return false;
  }
  define_results(*split.frame, i, lanes);
  return true;
}

// Actions that may end, move or park the split, or end the launch: the split has its place, and all its lanes
// take part. Says how the time slice ended, or nothing where the split at `index`, if there is one, may go
// on.
std::optional<Grid::Slice> Grid::execute_moving(Warp& warp, std::size_t index, const Instruction& i,
                                                LaneMask lanes) {
  Split& split = warp.splits[index];
  switch (i.action) {
    case Action::nanosleep:
      waited_ += poll_cost;
      ++split.pc;
      ++split.turn;
      return Slice::expired;
    case Action::branch_indexed:
      check_sink(warp, *split.frame, i, i.operand[0], lanes, "the branch");
      if (follows()) follow_decision(*split.frame, i.operand[0], lanes);
      branch_indexed(warp, index, i);
      return Slice::expired;
    case Action::call:
      check_choice(warp, *split.frame, i, i.operand[0], lanes, "the function that is called");
      if (follows()) follow_decision(*split.frame, i.operand[0], lanes);
      call(warp, index, i);
      return std::nullopt;
    case Action::ret: return_lanes(warp, index); return Slice::expired;
    case Action::exit: exit_lanes(warp, index, lanes); return Slice::ended;
    case Action::trap: trap(warp, i, lanes);
    case Action::unsupported:
      throw Unsupported(fmt::format("the emulated device does not know {}", program_.unsupported[i.target]),
                        program_.position(i));
    case Action::builtin:
      builtin(warp, split, i, lanes);
      ++split.pc;
      return std::nullopt;
    case Action::barrier_sync:
    case Action::barrier_arrive:
    case Action::barrier_reduce: barrier(warp, index); return Slice::blocked;
    case Action::cluster_arrive:
      ++split.pc;
      cluster_arrive(warp, i, lanes);
      return Slice::expired;  // whoever waited may run now and have moved this split
    case Action::cluster_wait:
      return cluster_wait(warp, index) ? std::nullopt : std::optional(Slice::blocked);
    case Action::shuffle:
    case Action::vote:
    case Action::match:
    case Action::warp_reduce:
    case Action::elect:
    case Action::warp_sync:
    case Action::load_matrix:
    case Action::store_matrix:
    case Action::matrix_multiply: return meet(warp, index) ? std::nullopt : std::optional(Slice::blocked);
    default: throw Unsupported("an instruction without an executor", program_.position(i));
  }
}

void Grid::trap(const Warp& warp, const Instruction& i, LaneMask lanes) {
  Finding finding = make_finding(Kind::crash, i, "the kernel executed a trap");
  finding.threads.push_back(thread(warp, first_lane(lanes)));
  end(std::move(finding));
}

void Grid::read_activemask(const Split& split, const Instruction& i, LaneMask lanes) {
  auto* result = isa::row<std::uint32_t>(split.frame->registers(), i.operand[0]);
  for_lanes(lanes, [&](unsigned lane) { result[lane] = lanes; });
}

// getctarank: the rank that a shared address carries; 0 in its field means the executing block's own.
void Grid::read_cluster_rank(const Warp& warp, const Split& split, const Instruction& i,
                             LaneMask lanes) const {
  std::byte* registers = split.frame->registers();
  const unsigned bytes = isa::bytes_of(i.form->type);
  for_lanes(lanes, [&](unsigned lane) {
    std::uint32_t address = 0;  // the low half holds the rank, generic addresses included
    std::memcpy(&address, registers + i.operand[1] + lane * bytes, sizeof address);
    const std::uint32_t field = address >> isa::shared_rank_shift;
    isa::row<std::uint32_t>(registers, i.operand[0])[lane] = field == 0 ? warp.block->rank : field - 1;
  });
}

void Grid::read_frame_address(const Split& split, const Instruction& i, LaneMask lanes) const {
  const Detail& detail = program_.details[i.detail];
  const std::uint64_t address =
      split.frame->local_base + static_cast<std::uint64_t>(detail.address.displacement);
  std::byte* to = split.frame->registers() + i.operand[0];
  for_lanes(lanes, [&](unsigned lane) {
    std::memcpy(to + lane * detail.register_bytes, &address, detail.register_bytes);
  });
}

}  // namespace foldproof::machine
