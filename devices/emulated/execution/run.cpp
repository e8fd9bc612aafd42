// The executor's main loop. It executes computations; executor.h lists the files that execute everything
// else.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

struct Executor::Bare {
  static constexpr bool undefined = false, traced = false;
};
struct Executor::Checked {
  static constexpr bool undefined = true, traced = false;
};
struct Executor::Traced {
  static constexpr bool undefined = true, traced = true;
};

namespace {

// Instructions charged to the time slice for a poll: waiting lanes should soon yield to those they wait for.
constexpr std::uint64_t poll_cost = 2048;

// The lanes that a guard enables.
LaneMask guarded(std::byte* registers, const Instruction& i, LaneMask lanes) {
  if (i.guard == isa::no_operand) return lanes;
  const LaneMask predicate = isa::mask(registers, i.guard);
  return lanes & (i.guard_negated ? ~predicate : predicate);
}

// The position of a running group; the group's own pc is updated when other code may read it.
struct Cursor {
  explicit Cursor(DivergentGroup& of)
      : group(&of),
        undefined(&of.frame->undefined),
        registers(of.frame->registers()),
        code(of.frame->code->instructions.data()),
        pc(of.pc) {}
  DivergentGroup* group;
  const UndefinedBits* undefined;
  std::byte* registers;
  const Instruction* code;
  std::uint32_t pc;
};

// Changes registers alone.
template <class Policy>
[[gnu::always_inline]] inline void compute(const Cursor& at, const Instruction& i, LaneMask active,
                                           Provenance* provenance) {
  const bool traced = Policy::traced && provenance && provenance->computing(*at.group->frame, i, active);
  i.compute(at.registers, i, active);
  if (traced) provenance->computed(*at.group->frame, i, active);
}

void read_activemask(Frame& frame, const Instruction& i, LaneMask lanes) {
  auto* result = isa::row<std::uint32_t>(frame.registers(), i.operand[0]);
  for_lanes(lanes, [&](unsigned lane) { result[lane] = lanes; });
}

// getctarank: the cluster rank encoded in a shared address; 0 in its field means the executing block's own.
void read_cluster_rank(const Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  std::byte* registers = frame.registers();
  const unsigned bytes = isa::bytes_of(i.form->type);
  for_lanes(lanes, [&](unsigned lane) {
    std::uint32_t address = 0;  // the rank is in the low half, also for generic addresses
    std::memcpy(&address, registers + i.operand[1] + lane * bytes, sizeof address);
    const std::uint32_t field = address >> isa::shared_rank_shift;
    isa::row<std::uint32_t>(registers, i.operand[0])[lane] = field == 0 ? warp.block->rank : field - 1;
  });
}

void read_frame_address(Frame& frame, const Instruction& i, const MachineOperands& detail, LaneMask lanes) {
  const std::uint64_t address = frame.local_base + static_cast<std::uint64_t>(detail.address.displacement);
  std::byte* to = frame.registers() + i.operand[0];
  for_lanes(lanes, [&](unsigned lane) {
    std::memcpy(to + lane * detail.register_bytes, &address, detail.register_bytes);
  });
}

/// Of the warp, all lanes must arrive or none.
bool is_aligned_barrier(const Instruction& i) {
  const bool is_barrier = i.action == Action::barrier_sync || i.action == Action::barrier_reduce ||
                          i.action == Action::cluster_arrive || i.action == Action::cluster_wait;
  return is_barrier && i.form->aligned;
}

}  // namespace

// Selects the policy, so that a launch pays only for the shadow state that it uses.
void Executor::run(Warp& warp, std::size_t index, std::uint64_t quantum) {
  Provenance* provenance = parts_.shadow.provenance();
  if (provenance) {
    provenance->limit();
    provenance = parts_.shadow.provenance();
  }
  if (provenance || parts_.events.executions() || parts_.shadow.coverage())
    return run<Traced>(warp, index, quantum, provenance);
  if (parts_.shadow.definedness()) return run<Checked>(warp, index, quantum, nullptr);
  return run<Bare>(warp, index, quantum, nullptr);
}

template <class Policy>
void Executor::run(Warp& warp, std::size_t index, std::uint64_t quantum, Provenance* provenance) {
  Cursor at(warp.groups[index]);
  std::uint64_t uncounted = quantum;
  const auto count = [&] {
    parts_.progress.executed(uncounted - quantum);
    uncounted = quantum;
  };
  while (quantum != 0) {
    const Instruction& i = at.code[at.pc];
    const LaneMask active = guarded(at.registers, i, at.group->lanes);
    if constexpr (Policy::traced) trace(warp, *at.group, i, active, provenance);
    if constexpr (Policy::undefined)
      if (at.undefined->any()) {
        if (i.action == Action::compute)
          parts_.shadow.definedness()->computing(*at.group->frame, i, at.group->lanes, active);
        else if (i.guard != isa::no_operand)
          guard_decides(warp, *at.group, i);
      }
    if (i.action == Action::compute) {
      --quantum;
      ++at.pc;
      if (active != 0) compute<Policy>(at, i, active, provenance);
      continue;
    }
    if (i.action == Action::join && !at.group->join) {  // no lanes are missing
      ++at.pc;
      continue;
    }
    at.group->pc = at.pc;
    if (i.action == Action::join) {
      count();
      if (!arrive_at_join(warp, index)) return;
      at.pc = at.group->pc;
      continue;
    }
    --quantum;
    if (i.action == Action::special) count();  // clocks read the executed count
    if (active == 0) {
      ++at.pc;
    } else if (i.action == Action::branch) {
      const bool together = active == at.group->lanes;
      if (!together) diverge(warp, index, i, active);
      at.group = &warp.groups[index];
      at.pc = together ? i.target : at.pc + 1;
    } else if (execute_in_place(warp, *at.group, i, active)) {
      ++at.pc;
      if (!i.repeats) continue;
      count();
      parts_.progress.waited(poll_cost);
      uncounted = quantum -= std::min(quantum, poll_cost);
    } else {
      count();
      std::optional<DivergentGroup> others;
      if (active != at.group->lanes) {
        separate(warp, index, active);
        if (is_aligned_barrier(i)) others = warp.groups.back();
      }
      const bool goes_on = execute_moving(warp, index, i, active);
      if (others) parts_.events.emit_departure(warp, *others, active);
      if (!goes_on || index >= warp.groups.size()) return;
      at = Cursor(warp.groups[index]);
      if (at.group->state != DivergentGroup::State::ready) return;
    }
  }
  count();
  at.group->pc = at.pc;
  ++at.group->expired_slices;
}

// Called for each instruction, before any other report about it.
void Executor::trace(const Warp& warp, const DivergentGroup& group, const Instruction& i, LaneMask active,
                     Provenance* provenance) {
  if (i.action == Action::join) return;
  if (parts_.events.executions()) parts_.events.emit_execution(warp, group, i, active);
  if (provenance && i.guard != isa::no_operand) provenance->decided(*group.frame, i.guard, group.lanes);
  if (Coverage* coverage = parts_.shadow.coverage()) {
    if (i.action == Action::branch && i.guard != isa::no_operand) coverage->branches(i, group.lanes, active);
    if (i.form && i.form->compare != isa::Compare::none) coverage->compares(*group.frame, i, active);
  }
}

void Executor::guard_decides(const Warp& warp, const DivergentGroup& group, const Instruction& i) {
  const auto of = i.action == Action::branch ? Decision::Of::branch : Decision::Of::execution;
  parts_.shadow.definedness()->decided({warp, *group.frame, i, i.guard, group.lanes, of});
}

// Actions after which the group continues with the next instruction. Returns false for any other action.
bool Executor::execute_in_place(Warp& warp, const DivergentGroup& group, const Instruction& i,
                                LaneMask lanes) {
  Frame& frame = *group.frame;
  switch (i.action) {
    case Action::special: read_special(warp, frame, i, lanes); break;
    case Action::frame_address: read_frame_address(frame, i, parts_.program.details[i.detail], lanes); break;
    case Action::load: load(warp, frame, i, lanes); return true;
    case Action::store: store(warp, frame, i, lanes); return true;
    case Action::atomic:
    case Action::reduction: atomic(warp, frame, i, lanes); return true;
    case Action::async_copy: async_copy(warp, frame, i, lanes); return true;
    case Action::mbarrier: mbarrier(warp, frame, i, lanes); break;
    case Action::cluster_rank: read_cluster_rank(warp, frame, i, lanes); break;
    case Action::activemask: read_activemask(frame, i, lanes); break;
    case Action::async_commit: close_group(warp, lanes); return true;
    case Action::async_wait: wait_for_copies(warp, frame, i, lanes); return true;
    case Action::prefetch:
    case Action::pause: return true;
    case Action::fence: parts_.events.emit_fence(warp, i, lanes); return true;
    default: return false;
  }
  parts_.shadow.fresh(frame, std::array{i.operand[0], i.operand[1]}, lanes);
  return true;
}

// Actions that may exit, move or block the group, or end the launch. Requires that the group's pc is up to
// date and that all its lanes take part. Returns whether the time slice continues with the group at `index`,
// if it exists.
bool Executor::execute_moving(Warp& warp, std::size_t index, const Instruction& i, LaneMask lanes) {
  DivergentGroup& group = warp.groups[index];
  switch (i.action) {
    case Action::nanosleep:
      parts_.progress.waited(poll_cost);
      ++group.pc;
      ++group.expired_slices;
      return false;
    case Action::branch_indexed: branch_indexed(warp, index, i); return false;
    case Action::call: call(warp, index, i); return true;
    case Action::ret: return_lanes(warp, index); return false;
    case Action::exit: exit_lanes(warp, index, lanes); return false;
    case Action::trap: trap(warp, i, lanes);
    case Action::unsupported:
      throw Unsupported(
          fmt::format("the emulated device does not support {}", parts_.program.unsupported[i.target]),
          parts_.program.position(i));
    case Action::builtin:
      builtin(warp, *group.frame, i, lanes);
      ++group.pc;
      return true;
    case Action::barrier_sync:
    case Action::barrier_arrive:
    case Action::barrier_reduce: block_barriers_.arrive(warp, index); return false;
    case Action::cluster_arrive:
      ++group.pc;
      cluster_barriers_.arrive(warp, i, lanes);
      return false;
    case Action::cluster_wait: return cluster_barriers_.wait(warp, index);
    case Action::shuffle:
    case Action::vote:
    case Action::match:
    case Action::warp_reduce:
    case Action::elect:
    case Action::warp_sync:
    case Action::load_matrix:
    case Action::store_matrix:
    case Action::matrix_multiply: return warp_sync_.arrive(warp, index);
    default: throw Unsupported("an instruction without an executor", parts_.program.position(i));
  }
}

void Executor::trap(const Warp& warp, const Instruction& i, LaneMask lanes) {
  Finding finding = parts_.findings.make(Kind::crash, i, "the kernel executed a trap");
  finding.threads.push_back(parts_.geometry.thread(warp, first_lane(lanes)));
  parts_.findings.end(std::move(finding));
}

}  // namespace foldproof::emulated
