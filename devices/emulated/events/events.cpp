#include "devices/emulated/events/events.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "devices/emulated/program/observed_attributes.h"
#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::Semantics;
using isa::StateSpace;
using isa::warp_size;

static_assert(global_window_bits == isa::window_bits);

bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t size) {
  return size == 4 ? std::memcmp(a, b, 4) == 0 : std::memcmp(a, b, size) == 0;  // 4: one instruction
}

BarrierEvent barrier_event(const Instruction& i, WarpId warp, LaneMask lanes, std::uint32_t barrier,
                           std::uint32_t threads) {
  return {.warp = warp,
          .lanes = lanes,
          .barrier = barrier,
          .waits = i.action != Action::barrier_arrive,
          .votes = i.action == Action::barrier_reduce,
          .aligned = i.form->aligned,
          .threads = threads,
          .site = i.site};
}

BarrierEvent cluster_event(const Instruction& i, WarpId warp, LaneMask lanes) {
  return {.warp = warp,
          .lanes = lanes,
          .waits = i.action == Action::cluster_wait,
          .aligned = i.form->aligned,
          .site = i.site};
}

// The lanes that store where a lower lane does, and few others: those whose addresses have the same hash.
LaneMask may_repeat(const LaneHosts& hosts, LaneMask lanes) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;
  std::bitset<256> hashes;
  LaneMask repeats = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const std::size_t hash = std::bit_cast<std::uintptr_t>(hosts[lane]) * golden_ratio >> 56U;
    if (hashes[hash]) repeats |= bit(lane);
    hashes.set(hash);
  });
  return repeats;
}

// Whether the thread exits without any other effect.
bool only_ends(const FunctionCode& code, std::uint32_t pc) {
  for (; pc < code.instructions.size(); ++pc) {
    const Action action = code.instructions[pc].action;
    if (action == Action::exit || action == Action::ret) return true;
    if (action != Action::join && action != Action::compute && action != Action::pause) return false;
  }
  return true;
}

}  // namespace

Events::Events(const Program& program, const Geometry& geometry, const AddressSpace& addresses,
               const Observers& observers)
    : program_(program), geometry_(geometry), addresses_(addresses) {
  for (const auto& observer : observers)
    if (observer->watches(*this)) observers_.push_back(observer.get());
  std::ranges::copy_if(observers_, std::back_inserter(of_accesses_), &Observer::wants_accesses);
  std::ranges::copy_if(observers_, std::back_inserter(of_barriers_), &Observer::wants_barriers);
  std::ranges::copy_if(observers_, std::back_inserter(of_executions_), &Observer::wants_executions);
}

std::vector<Finding> Events::launch_ends() {
  std::vector<Finding> findings;
  for (Observer* observer : observers_)
    for (Finding& finding : observer->launch_ends()) findings.push_back(std::move(finding));
  return findings;
}

bool Events::has_plain_strong_accesses() const { return program_.has_plain_strong_accesses; }

InstructionClass Events::class_of(Site site) const { return emulated::class_of(*program_.sites[site]); }

// The guard of a branch selects the path of its lanes, not the lanes that execute it.
void Events::emit_execution(const Warp& warp, const DivergentGroup& group, const Instruction& i,
                            LaneMask active) {
  const ExecutionEvent event{id(warp), ~warp.exited, i.action == Action::branch ? group.lanes : active,
                             i.site};
  for (Observer* observer : of_executions_) observer->executes(event);
}

void Events::emit_division(const Warp& warp, const DivergentGroup& group, const Instruction& i) {
  for (Observer* observer : of_executions_)
    observer->branch_divides({id(warp), ~warp.exited, group.lanes, i.site});
}

// Accesses of one instruction, grouped by the space of each lane's address. The event is modified instead of
// copied: copying recently written small fields is slow.
void Events::emit_access(const Warp& warp, StateSpace space, const Addresses& at, AccessEvent& event) {
  if (space == StateSpace::local) return;  // No other thread has access to it.
  // Most instructions access one space, and in shared memory the executing block's own.
  if (space == StateSpace::global ||
      (space == StateSpace::shared_cta && at.high <= isa::shared_offset_mask)) {
    event.shared = space != StateSpace::global;
    for (Observer* observer : of_accesses_) observer->accesses(event);
    return;
  }
  LaneMask shared = 0, global = 0;
  for_lanes(event.lanes, [&](unsigned lane) {
    const StateSpace in = AddressSpace::owner(space, at[lane]);
    if (in == StateSpace::global) global |= bit(lane);
    if (in == StateSpace::shared_cta || in == StateSpace::shared_cluster) shared |= bit(lane);
  });
  if (global != 0) {
    event.lanes = global;
    for (Observer* observer : of_accesses_) observer->accesses(event);
  }
  if (shared != 0) emit_shared(warp, event, shared);
}

// Converts addresses in the shared window to offsets, and cluster ranks to blocks.
void Events::emit_shared(const Warp& warp, AccessEvent& event, LaneMask lanes) {
  event.shared = true;
  event.lanes = lanes;
  std::array<std::uint64_t, warp_size> offsets;
  std::array<BlockNumber, warp_size> owners;
  bool remote = false, moved = false;
  for_lanes(lanes, [&](unsigned lane) {
    const auto [block, offset] = AddressSpace::shared_place(warp, event.at[lane]);
    offsets[lane] = offset;
    owners[lane] = block;
    remote |= block != event.warp.block;
    moved |= offsets[lane] != event.at[lane];
  });
  if (moved) event.at = offsets.data();
  if (remote) event.owner = owners.data();
  for (Observer* observer : of_accesses_) observer->accesses(event);
}

// A store by consecutive lanes to consecutive addresses, before memory changes. Both pointers are those of
// the first lane.
void Events::emit_run_store(const WarpAccess& access, const std::byte* memory, const std::byte* registers) {
  const std::uint32_t size = access.bytes;
  AccessEvent event = event_of(access);
  if (size == 4 && access.executing == all_lanes) {
    event.unchanged = equal_rows(memory, registers);
  } else {
    std::size_t place = 0;
    for_lanes(access.executing, [&](unsigned lane) {
      if (equal_bytes(memory + place, registers + place, size)) event.unchanged |= bit(lane);
      place += size;
    });
  }
  emit_access(access, event);
}

// A store, before memory changes. Lanes that store the value already in memory are marked as unchanged. If
// several lanes store to one address, the last one wins, and each sees the value of the previous one.
void Events::emit_store(const WarpAccess& access) {
  const MachineOperands& detail = access.detail;
  const LaneHosts& hosts = access.hosts;
  const std::uint32_t size = detail.element_bytes;
  AccessEvent event = event_of(access);
  const std::byte* registers = access.frame.registers();
  const auto column = [&](std::size_t k, unsigned lane) {
    return registers + detail.data[k] + lane * detail.register_bytes;
  };
  const LaneMask repeats = access.at.consecutive ? 0 : may_repeat(hosts, access.valid);
  for_lanes(access.valid, [&](unsigned lane) {
    unsigned before = lane;
    LaneMask lower = (repeats & bit(lane)) != 0 ? access.valid & lowest_lanes(lane) : 0;
    for (; lower != 0 && before == lane; lower &= ~bit(last_lane(lower)))
      if (hosts[last_lane(lower)] == hosts[lane]) before = last_lane(lower);
    bool same = true;
    for (std::size_t k = 0; same && k < detail.data.size(); ++k) {
      const std::byte* there = before == lane ? hosts[lane] + k * size : column(k, before);
      same = equal_bytes(there, column(k, lane), size);
    }
    if (same) event.unchanged |= bit(lane);
  });
  emit_access(access, event);
}

void Events::emit_fence(const Warp& warp, const Instruction& i, LaneMask lanes) {
  // Proxy fences order accesses of one thread through different proxies, not accesses of different threads.
  if (observers_.empty() || i.form->semantics == Semantics::none) return;
  for (Observer* observer : observers_) observer->fences({id(warp), lanes, scope_of(*i.form)});
}

// Whole warps that arrive consecutively to wait at one instruction are emitted together, when a different
// arrival occurs or the barrier completes: until then these warps do nothing.
void Events::emit_barrier_arrival(const Warp& warp, const DivergentGroup& group, std::uint32_t number,
                                  std::uint32_t threads) {
  if (of_barriers_.empty()) return;
  const Instruction& i = group.instruction();
  Block& block = *warp.block;
  PendingArrivals& pending = block.barriers[number].pending;
  const bool whole = group.lanes == all_lanes && i.action != Action::barrier_arrive;
  if (!whole || &i != pending.at || threads != pending.threads) emit_pending(block, number);
  if (whole) {
    pending.warps |= bit(warp.index);
    pending.at = &i;
    pending.threads = threads;
    return;
  }
  const BarrierEvent event = barrier_event(i, id(warp), group.lanes, number, threads);
  for (Observer* observer : of_barriers_) observer->barrier_arrives(event);
}

void Events::emit_pending(Block& block, std::uint32_t number) {
  PendingArrivals& pending = block.barriers[number].pending;
  if (pending.warps == 0) return;
  const WarpId first{block.number, static_cast<std::uint32_t>(std::countr_zero(pending.warps))};
  const BarrierEvent event = barrier_event(*pending.at, first, all_lanes, number, pending.threads);
  for (Observer* observer : of_barriers_) observer->warps_arrive(event, pending.warps);
  pending.warps = 0;
}

void Events::emit_pending(Block& block) {
  for_lanes(block.barriers_in_use, [&](unsigned number) { emit_pending(block, number); });
}

void Events::emit_barrier_completion(Block& block, std::uint32_t number) {
  emit_pending(block, number);
  for (Observer* observer : of_barriers_) observer->barrier_completes(block.number, number);
}

void Events::emit_warp_sync_arrival(const Warp& warp, const DivergentGroup& group, const Instruction& i) {
  for (Observer* observer : observers_)
    observer->warp_sync_arrives({id(warp), group.lanes, group.member_mask, i.site});
}

// A warp barrier also includes lanes that are in the mask but have exited.
void Events::emit_warp_sync_completion(const Warp& warp, Members members) {
  if (observers_.empty()) return;
  const DivergentGroup& first = warp.groups[members[0]];
  const Instruction& i = first.instruction();
  const LaneMask present = warp.lanes_of(members);
  for (Observer* observer : observers_) {
    observer->warp_sync_completes({id(warp), present, first.member_mask, i.site});
    if (i.action == Action::warp_sync)
      observer->warp_barrier_completes(
          {.warp = id(warp), .lanes = present | (first.member_mask & warp.exited), .site = i.site});
  }
}

void Events::emit_departure(const Warp& warp, const DivergentGroup& group, LaneMask missing) {
  if (observers_.empty() || only_ends(*group.frame->code, group.pc)) return;
  const BarrierEvent event{.warp = id(warp), .lanes = group.lanes, .site = group.instruction().site};
  for (Observer* observer : observers_) observer->leaves_behind(event, missing);
}

void Events::emit_cluster_arrival(const Warp& warp, LaneMask lanes, const Instruction& i) {
  for (Observer* observer : observers_)
    observer->cluster_arrives(cluster_event(i, id(warp), lanes), releases(i.form->semantics));
}

void Events::emit_cluster_wait_begin(const Warp& warp, LaneMask lanes, const Instruction& i) {
  for (Observer* observer : observers_) observer->cluster_wait_begins(cluster_event(i, id(warp), lanes));
}

void Events::emit_cluster_wait(const Warp& warp, LaneMask lanes, const Instruction& i) {
  for (Observer* observer : observers_)
    observer->cluster_waits(cluster_event(i, id(warp), lanes), acquires(i.form->semantics));
}

}  // namespace foldproof::emulated
