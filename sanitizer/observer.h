// The events that the emulated device emits while a kernel runs, and the interface of their observers.
//
//   machine ──events, a warp at a time──► Observer (a check, a counter) ──► findings
//
// An event concerns lanes of one warp that act together. The machine does not know the individual checks;
// checks do not know the machine: threads, instructions and memory are numbers, which a LaunchView translates
// for reports.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sanitizer/finding.h"
#include "sanitizer/instruction_class.h"
#include "sanitizer/lane_set.h"

namespace foldproof {

/// Index of an instruction in the running program.
using Site = std::uint32_t;

/// Blocks in cluster order: cluster index · blocks per cluster + rank. Without clusters, the linear block
/// index.
using BlockNumber = std::uint64_t;

/// Each allocation of global memory has its own window of this many address bits.
inline constexpr unsigned global_window_bits = 36;

struct WarpId {
  BlockNumber block = 0;
  std::uint32_t warp = 0;  ///< index in its block
  auto operator<=>(const WarpId&) const = default;
};

/// The scope of an operation: the threads to which its atomicity or ordering applies.
enum class SyncScope : std::uint8_t { cta, cluster, gpu, sys };

/// What checks need to know about a launch, for detection and for reports.
class LaunchView {
 public:
  virtual ~LaunchView() = default;
  virtual std::uint32_t threads_per_block() const = 0;
  virtual std::uint32_t blocks_per_cluster() const = 0;
  virtual std::uint64_t blocks() const = 0;
  virtual Position position(Site site) const = 0;
  /// Whether the code belongs to cooperative groups: lanes of a warp may store the same value there.
  virtual bool is_of_cooperative_groups(Site site) const = 0;
  /// Whether it is the shuffle by which the barriers of cooperative groups pass on to all lanes what one of
  /// them has acquired. The memory model does not say that a shuffle does that.
  virtual bool passes_on_by_shuffle(Site site) const = 0;
  /// Whether the program has volatile or relaxed loads or stores (not atomics) that are not polled.
  virtual bool has_plain_strong_accesses() const = 0;
  virtual InstructionClass class_of(Site site) const = 0;
  virtual ThreadId thread(WarpId warp, unsigned lane) const = 0;
  /// The memory object that contains an address: "the shared variable tile" or "the buffer partials".
  virtual std::string memory_at(bool shared, std::uint64_t address) const = 0;
};

/// The static attributes of a memory access instruction.
struct AccessAttributes {
  enum class What : std::uint8_t { read, write, update };  ///< update: an atomic read-modify-write
  What what = What::read;
  bool strong = false;    ///< volatile, relaxed or stronger (PTX ISA 8.5: strong operations)
  bool acquires = false;  ///< by its own semantics, not through a fence
  bool releases = false;
  bool returns = true;           ///< the value read reaches the thread; false for red
  bool waits_for_phase = false;  ///< of an mbarrier: reads it as it was when its last phase was completed
  bool polled = false;           ///< its value decides whether it is executed again
  bool cas_confirmed = false;    ///< a weak read whose value a later compare-and-swap validates
  SyncScope scope = SyncScope::sys;
  std::uint32_t bytes = 0;          ///< per lane, all elements of a vector together
  std::uint32_t element_bytes = 0;  ///< the unit of atomicity
  Site site = 0;

  /// A load or store that is not used as a flag.
  bool is_plain() const { return what != What::update && !acquires && !releases && !polled; }
};

/// One load, store or atomic of a warp.
struct AccessEvent : AccessAttributes {
  bool repeats = false;      ///< the same access again: hardware may perform it at either time
  bool shared = false;       ///< shared memory; otherwise global
  bool consecutive = false;  ///< every lane l accesses base + l · bytes
  LaneSet lanes = 0;
  /// Lanes that write the value already in memory, such as failed attempts of compare-and-swap.
  LaneSet unchanged = 0;
  LaneSet completes_phase = 0;  ///< lanes whose update completes the phase of an mbarrier
  WarpId warp;
  /// By lane. Global addresses; shared addresses are offsets in the shared window of the block given by
  /// `owner`.
  const std::uint64_t* at = nullptr;
  /// The block whose shared memory is accessed, by lane; null: the warp's own block.
  const BlockNumber* owner = nullptr;
};

/// Lanes that execute a fence.
struct FenceEvent {
  WarpId warp;
  LaneSet lanes = 0;
  SyncScope scope = SyncScope::gpu;
};

/// Lanes of one warp that arrive at a barrier; also describes lanes that leave one, continue or exit.
struct BarrierEvent {
  WarpId warp;
  LaneSet lanes = 0;
  std::uint32_t barrier = 0;  ///< which of the block's 16 barriers
  bool waits = true;          ///< .sync and .red; not .arrive
  bool votes = false;         ///< .red
  bool aligned = true;        ///< all lanes of the warp must arrive at the same instruction
  std::uint32_t threads = 0;  ///< number of threads expected; 0: the whole block
  Site site = 0;
};

/// Lanes that arrive at a .sync instruction, or complete it together.
struct WarpSyncEvent {
  WarpId warp;
  LaneSet lanes = 0;
  LaneSet mask = 0;  ///< the member mask
  Site site = 0;
};

/// Lanes that reach an instruction together and execute it, except those disabled by its guard.
struct ExecutionEvent {
  WarpId warp;
  LaneSet live = 0;    ///< lanes of the warp that have not exited
  LaneSet active = 0;  ///< lanes that execute it; for a divergent branch, the lanes that it divides
  Site site = 0;
};

/// Observes the launches of one job, one after another. Events are emitted when they happen, loads and stores
/// before memory changes; only arrivals of whole warps may be reported later (`warps_arrive`).
class Observer {
 public:
  virtual ~Observer() = default;
  /// Whether anything can be found in a launch; if false, the observer receives no further events of it.
  virtual bool watches(const LaunchView& /*launch*/) const { return true; }
  virtual void launch_begins(const LaunchView& /*launch*/) {}
  /// All findings of this launch. The launch is invalid afterwards.
  virtual std::vector<Finding> launch_ends() { return {}; }
  virtual void block_begins(BlockNumber /*block*/) {}
  /// All threads of the block have exited.
  virtual void block_ends(BlockNumber /*block*/) {}
  /// Whether `executes` and `branch_divides` are to be called, which costs time.
  virtual bool wants_executions() const { return false; }
  /// Called for every instruction, before any other event about it. If the guard disables all lanes, `active`
  /// is empty.
  virtual void executes(const ExecutionEvent& /*event*/) {}
  /// A branch sends its active lanes to different targets.
  virtual void branch_divides(const ExecutionEvent& /*event*/) {}
  /// Whether `accesses` is to be called.
  virtual bool wants_accesses() const { return true; }
  virtual void accesses(const AccessEvent& /*event*/) {}
  virtual void fences(const FenceEvent& /*event*/) {}
  /// bar.warp.sync completes for these lanes.
  virtual void warp_barrier_completes(const BarrierEvent& /*event*/) {}
  virtual void warp_sync_arrives(const WarpSyncEvent& /*event*/) {}
  virtual void warp_sync_completes(const WarpSyncEvent& /*event*/) {}
  /// Whether `barrier_arrives`, `warps_arrive` and `barrier_completes` are to be called.
  virtual bool wants_barriers() const { return true; }
  virtual void barrier_arrives(const BarrierEvent& /*event*/) {}
  /// All lanes of one or more warps of a block have arrived to wait at a barrier, one warp after another: bit
  /// w stands for warp w, and the event, which names one of them, applies to all. Called when a different
  /// kind of arrival occurs, the barrier completes or the launch is aborted; until then these warps do
  /// nothing.
  virtual void warps_arrive(BarrierEvent event, std::uint32_t warps) {
    for (; warps != 0; warps &= warps - 1) {
      event.warp.warp = static_cast<std::uint32_t>(std::countr_zero(warps));
      barrier_arrives(event);
    }
  }
  /// The barrier completes: the waiting threads continue.
  virtual void barrier_completes(BlockNumber /*block*/, std::uint32_t /*barrier*/) {}
  /// Lanes continue, at `site`, after the branch that separated them from the lanes `behind`, which took the
  /// other path and have not arrived yet. Not called if the lanes only exit.
  virtual void leaves_behind(const BarrierEvent& /*event*/, LaneSet /*behind*/) {}
  virtual void cluster_arrives(const BarrierEvent& /*event*/, bool /*releases*/) {}
  virtual void cluster_completes(std::uint64_t /*cluster*/) {}
  /// Lanes reach a wait at the cluster barrier.
  virtual void cluster_wait_begins(const BarrierEvent& /*event*/) {}
  /// Lanes continue after a completed cluster barrier.
  virtual void cluster_waits(const BarrierEvent& /*event*/, bool /*acquires*/) {}
  virtual void exits(const BarrierEvent& /*event*/) {}

  /// Called before the launches of a job. `all_reads`: the job is run again because `wants_all_reads`
  /// requested it.
  virtual void job_begins(bool /*all_reads*/) {}
  /// Whether findings may have been missed because reads of never-written memory were not recorded.
  virtual bool wants_all_reads() const { return false; }
};

using Observers = std::vector<std::unique_ptr<Observer>>;

}  // namespace foldproof
