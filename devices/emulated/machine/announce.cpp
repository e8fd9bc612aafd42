// Tells observers what happens, in their words; and puts their numbers back into words.
#include <cstring>

#include "devices/emulated/machine/access_manner.h"
#include "devices/emulated/machine/columns.h"
#include "devices/emulated/machine/grid.h"
#include "devices/emulated/machine/instruction_class.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
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

}  // namespace

std::uint32_t Grid::threads_per_block() const { return static_cast<std::uint32_t>(shape_.block.volume()); }

std::uint32_t Grid::blocks_per_cluster() const {
  return shape_.cluster.x == 0 ? 1 : static_cast<std::uint32_t>(shape_.cluster.volume());
}

std::uint64_t Grid::blocks() const { return shape_.grid.volume(); }

Position Grid::position(Site site) const { return program_.position(*program_.sites[site]); }

bool Grid::orders_its_own(Site site) const { return program_.is_cooperative_groups(*program_.sites[site]); }

bool Grid::has_plain_strong_accesses() const {
  return std::ranges::any_of(program_.sites, [](const Instruction* i) {
    return (i->action == Action::load || i->action == Action::store) && !i->polled &&
           (i->form->semantics == Semantics::relaxed || i->form->semantics == Semantics::volatile_);
  });
}

InstructionClass Grid::class_of(Site site) const { return machine::class_of(*program_.sites[site]); }

ThreadId Grid::thread(WarpId warp, unsigned lane) const {
  const std::uint64_t size = blocks_per_cluster();
  return {block_index(warp.block / size, static_cast<std::uint32_t>(warp.block % size)),
          thread_index(warp.warp, lane)};
}

std::string Grid::memory_at(bool shared, std::uint64_t address) const {
  if (!shared) return memory_.name_at(address);
  const std::uint64_t place = address & isa::shared_offset_mask;
  for (const SharedRegion& region : shared_)
    if (place - region.address < region.bytes) return "the shared " + region.variable->name;
  return "shared memory";
}

// The guard of a branch says where lanes go, not which ones execute it.
void Grid::announce_execution(const Warp& warp, const Split& split, const Instruction& i, LaneMask active) {
  const ExecutionEvent event{id(warp), ~warp.exited, i.action == Action::branch ? split.lanes : active,
                             i.site};
  for (Observer* observer : of_executions_) observer->executes(event);
}

void Grid::announce_division(const Warp& warp, const Split& split, const Instruction& i) {
  for (Observer* observer : of_executions_)
    observer->branch_divides({id(warp), ~warp.exited, split.lanes, i.site});
}

// Accesses of one instruction, by the space that each lane's address belongs to. The event is changed, not
// copied: a copy of what was just written in pieces is slow.
void Grid::announce_access(const Warp& warp, StateSpace space, const Addresses& at, AccessEvent& event) {
  // Most accesses go to one space, and in shared memory to the own block's.
  if (space == StateSpace::global ||
      (space == StateSpace::shared_cta && at.high <= isa::shared_offset_mask)) {
    event.shared = space != StateSpace::global;
    for (Observer* observer : of_accesses_) observer->accesses(event);
    return;
  }
  LaneMask shared = 0, global = 0;
  for_lanes(event.lanes, [&](unsigned lane) {
    const StateSpace in = owner(space, at[lane]);
    if (in == StateSpace::global) global |= bit(lane);
    if (in == StateSpace::shared_cta || in == StateSpace::shared_cluster) shared |= bit(lane);
  });
  if (global != 0) {
    event.lanes = global;
    for (Observer* observer : of_accesses_) observer->accesses(event);
  }
  if (shared != 0) announce_shared(warp, event, shared);
}

// Whose shared memory an address means: rank 0 is the own block, rank r + 1 the cluster's block r.
Grid::SharedPlace Grid::shared_place(const Warp& warp, std::uint64_t address) const {
  const BlockNumber own = warp.block->number;
  const std::uint64_t rank = address % isa::window_size >> isa::shared_rank_shift;
  return {rank == 0 ? own : own - warp.block->rank + rank - 1, address & isa::shared_offset_mask};
}

// Addresses in the shared window become offsets, and ranks become blocks.
void Grid::announce_shared(const Warp& warp, AccessEvent& event, LaneMask lanes) {
  event.shared = true;
  event.lanes = lanes;
  std::array<std::uint64_t, warp_size> offsets;
  std::array<BlockNumber, warp_size> owners;
  bool remote = false, moved = false;
  for_lanes(lanes, [&](unsigned lane) {
    const auto [block, offset] = shared_place(warp, event.at[lane]);
    offsets[lane] = offset;
    owners[lane] = block;
    remote |= block != event.warp.block;
    moved |= offsets[lane] != event.at[lane];
  });
  if (moved) event.at = offsets.data();
  if (remote) event.owner = owners.data();
  for (Observer* observer : of_accesses_) observer->accesses(event);
}

// A store of a run of lanes to consecutive places, before memory changes. Both sides begin with the first.
void Grid::announce_run_store(const Access& access, const std::byte* memory, const std::byte* registers) {
  const std::uint32_t size = access.bytes;
  AccessEvent event = event_of(access);
  if (size == 4 && access.lanes == isa::all_lanes) {
    event.unchanged = equal_rows(memory, registers);
  } else {
    std::size_t place = 0;
    for_lanes(access.lanes, [&](unsigned lane) {
      if (equal_bytes(memory + place, registers + place, size)) event.unchanged |= bit(lane);
      place += size;
    });
  }
  announce_access(access, event);
}

// A store, before memory changes: lanes whose bytes stand there already are told apart. Of lanes that store
// to one address the last one wins, and finds there what the one before it has written.
void Grid::announce_store(const Access& access) {
  const Detail& detail = access.detail;
  const Hosts& hosts = access.hosts;
  const std::uint32_t size = detail.element_bytes;
  AccessEvent event = event_of(access);
  const std::byte* registers = access.split.frame->registers();
  const auto column = [&](std::size_t k, unsigned lane) {
    return registers + detail.data[k] + lane * detail.register_bytes;
  };
  bool ascending = true;
  if (!access.at.consecutive) {
    const std::byte* highest = nullptr;
    for_lanes(access.good, [&](unsigned lane) {
      ascending &= highest == nullptr || hosts[lane] > highest;
      highest = hosts[lane];
    });
  }
  for_lanes(access.good, [&](unsigned lane) {
    unsigned before = lane;
    if (!ascending)
      for_lanes(access.good & lowest_lanes(lane), [&](unsigned other) {
        if (hosts[other] == hosts[lane]) before = other;
      });
    bool same = true;
    for (std::size_t k = 0; same && k < detail.data.size(); ++k) {
      const std::byte* there = before == lane ? hosts[lane] + k * size : column(k, before);
      same = equal_bytes(there, column(k, lane), size);
    }
    if (same) event.unchanged |= bit(lane);
  });
  announce_access(access, event);
}

void Grid::announce_fence(const Warp& warp, const Instruction& i, LaneMask lanes) {
  // Proxy fences order what one thread did through different paths, not what threads did.
  if (observers_.empty() || i.form->semantics == Semantics::none) return;
  for (Observer* observer : observers_) observer->fences({id(warp), lanes, scope_of(*i.form)});
}

// Whole warps that come one after another to wait at one instruction are told of together, as soon as anybody
// comes otherwise or the barrier is complete: until then they do nothing.
void Grid::announce_barrier(const Warp& warp, const Split& split, std::uint32_t number,
                            std::uint32_t threads) {
  const Instruction& i = at(split);
  Block& block = *warp.block;
  Barrier& barrier = block.barriers[number];
  const bool whole = split.lanes == isa::all_lanes && i.action != Action::barrier_arrive;
  if (!whole || &i != barrier.untold_at || threads != barrier.untold_threads) announce_untold(block, number);
  if (whole) {
    barrier.untold |= bit(warp.index);
    barrier.untold_at = &i;
    barrier.untold_threads = threads;
    return;
  }
  const BarrierEvent event = barrier_event(i, id(warp), split.lanes, number, threads);
  for (Observer* observer : of_barriers_) observer->barrier_arrives(event);
}

void Grid::announce_untold(Block& block, std::uint32_t number) {
  Barrier& barrier = block.barriers[number];
  if (barrier.untold == 0) return;
  const WarpId first{block.number, static_cast<std::uint32_t>(std::countr_zero(barrier.untold))};
  const BarrierEvent event =
      barrier_event(*barrier.untold_at, first, isa::all_lanes, number, barrier.untold_threads);
  for (Observer* observer : of_barriers_) observer->warps_arrive(event, barrier.untold);
  barrier.untold = 0;
}

// Of a launch that ends before they could go on.
void Grid::announce_untold() {
  for (const auto& cluster : resident_)
    for (const auto& block : cluster->blocks)
      if (block->started)
        for_lanes(block->barriers_in_use, [&](unsigned number) { announce_untold(*block, number); });
}

void Grid::announce_completion(Block& block, std::uint32_t number) {
  announce_untold(block, number);
  for (Observer* observer : of_barriers_) observer->barrier_completes(block.number, number);
}

void Grid::announce_arrival(const Warp& warp, const Split& split, const Instruction& i) {
  for (Observer* observer : observers_)
    observer->meeting_arrives({id(warp), split.lanes, split.member_mask, i.site});
}

// Members that have met; a warp barrier also stands for those whom the mask names and who have ended.
void Grid::announce_meeting(const Warp& warp, Members members) {
  const Split& first = warp.splits[members[0]];
  const Instruction& i = at(first);
  LaneMask met = 0;
  for (const std::size_t k : members) met |= warp.splits[k].lanes;
  for (Observer* observer : observers_) {
    observer->meeting_ends({id(warp), met, first.member_mask, i.site});
    if (i.action == Action::warp_sync)
      observer->warp_meets(
          {.warp = id(warp), .lanes = met | (first.member_mask & warp.exited), .site = i.site});
  }
}

// Whether nothing follows but the end of the thread.
bool Grid::only_ends(const Code& code, std::uint32_t pc) {
  for (; pc < code.instructions.size(); ++pc) {
    const Action action = code.instructions[pc].action;
    if (action == Action::exit || action == Action::ret) return true;
    if (action != Action::join && action != Action::compute && action != Action::pause) return false;
  }
  return true;
}

void Grid::announce_departure(const Warp& warp, const Split& split, LaneMask behind) {
  if (!watched() || only_ends(*split.frame->code, split.pc)) return;
  const BarrierEvent event{.warp = id(warp), .lanes = split.lanes, .site = at(split).site};
  for (Observer* observer : observers_) observer->leaves_behind(event, behind);
}

void Grid::announce_cluster_arrival(const Warp& warp, LaneMask lanes, const Instruction& i) {
  for (Observer* observer : observers_)
    observer->cluster_arrives({.warp = id(warp), .lanes = lanes, .waits = false, .site = i.site},
                              releases(i.form->semantics));
}

void Grid::announce_cluster_wait(const Warp& warp, LaneMask lanes, const Instruction& i) {
  for (Observer* observer : observers_)
    observer->cluster_waits({.warp = id(warp), .lanes = lanes, .site = i.site}, acquires(i.form->semantics));
}

void Grid::announce_exit(const Warp& warp, LaneMask lanes) {
  for (Observer* observer : observers_) observer->exits({.warp = id(warp), .lanes = lanes});
}

}  // namespace foldproof::machine
