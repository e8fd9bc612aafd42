// What the emulated device announces while a kernel runs, and the interface of those who watch.
//
//   machine ──events, a warp at a time──► Observer (a check, a counter) ──► findings
//
// An event concerns lanes of one warp that act together. The machine knows no check by name; checks know no
// machine: threads, instructions and memory are numbers, which a LaunchView puts into words.
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

/// An instruction of the running program.
using Site = std::uint32_t;

/// Blocks in the order of their clusters: cluster · blocks a cluster + rank. Without clusters the linear
/// index.
using BlockNumber = std::uint64_t;

/// Allocations of global memory lie in windows of this many address bits; no two share one.
inline constexpr unsigned global_window_bits = 36;

struct WarpId {
  BlockNumber block = 0;
  std::uint32_t warp = 0;  ///< in its block
  auto operator<=>(const WarpId&) const = default;
};

/// Which threads an operation promises to be atomic with, or to order.
enum class SyncScope : std::uint8_t { cta, cluster, gpu, sys };

/// A launch, as far as checks need to know and to tell about it.
class LaunchView {
 public:
  virtual ~LaunchView() = default;
  virtual std::uint32_t threads_per_block() const = 0;
  virtual std::uint32_t blocks_per_cluster() const = 0;
  virtual std::uint64_t blocks() const = 0;
  virtual Position position(Site site) const = 0;
  /// Code of a library that orders its own scratch memory by means that no memory model knows: cooperative
  /// groups let a shuffle hand on what one lane has acquired.
  virtual bool orders_its_own(Site site) const = 0;
  /// Whether the program has loads or stores (not atomics) that are volatile or relaxed, and not polled.
  virtual bool has_plain_strong_accesses() const = 0;
  virtual InstructionClass class_of(Site site) const = 0;
  virtual ThreadId thread(WarpId warp, unsigned lane) const = 0;
  /// "the shared array tile" or "the buffer partials": the memory around an address.
  virtual std::string memory_at(bool shared, std::uint64_t address) const = 0;
};

/// How an instruction accesses memory, whenever it is executed.
struct AccessAttributes {
  enum class What : std::uint8_t { read, write, update };  ///< update: an atomic read-modify-write
  What what = What::read;
  bool strong = false;    ///< volatile, relaxed or stronger (PTX ISA 8.5: strong operations)
  bool acquires = false;  ///< with that meaning itself, not through a fence
  bool releases = false;
  bool returns = true;     ///< what it reads reaches the thread; not of red
  bool polled = false;     ///< its value decides whether it is executed again
  bool confirmed = false;  ///< a weak read whose value a compare-and-swap corrects
  SyncScope scope = SyncScope::sys;
  std::uint32_t bytes = 0;          ///< of one lane, elements of a vector together
  std::uint32_t element_bytes = 0;  ///< what is atomic by itself
  Site site = 0;
};

/// One load, store or atomic of a warp.
struct AccessEvent : AccessAttributes {
  bool shared = false;       ///< shared memory; else global
  bool consecutive = false;  ///< every lane l accesses base + l · bytes
  LaneSet lanes = 0;
  /// Lanes that write what stands there already, such as attempts of compare-and-swap that fail.
  LaneSet unchanged = 0;
  WarpId warp;
  /// By lane. Global addresses; shared ones are offsets in the window of the block that `owner` names.
  const std::uint64_t* at = nullptr;
  /// Whose shared memory, by lane; null: the warp's own block's.
  const BlockNumber* owner = nullptr;
};

/// Lanes that execute a fence.
struct FenceEvent {
  WarpId warp;
  LaneSet lanes = 0;
  SyncScope scope = SyncScope::gpu;
};

/// Lanes of one warp that come to a barrier, or that all came to one.
struct BarrierEvent {
  WarpId warp;
  LaneSet lanes = 0;
  std::uint32_t barrier = 0;  ///< of the block: which of the 16
  bool waits = true;          ///< .sync and .red; not .arrive
  bool votes = false;         ///< .red
  bool aligned = true;        ///< all lanes of the warp must come to the same instruction
  std::uint32_t threads = 0;  ///< how many are waited for; 0: the whole block
  Site site = 0;
};

/// Lanes that come to a .sync instruction, or leave it together.
struct WarpSyncEvent {
  WarpId warp;
  LaneSet lanes = 0;
  LaneSet mask = 0;  ///< the members that they name
  Site site = 0;
};

/// Lanes that stand at an instruction together and execute it, but for those that its guard switches off.
struct ExecutionEvent {
  WarpId warp;
  LaneSet live = 0;    ///< lanes of the warp that have not ended
  LaneSet active = 0;  ///< lanes that execute it; of a branch, those that it divides
  Site site = 0;
};

/// Watches one job's launches, one after another. Events come when they happen, loads and stores before
/// memory changes; only arrivals of whole warps may be told later (`warps_arrive`).
class Observer {
 public:
  virtual ~Observer() = default;
  /// Whether anything can be found in a launch; else nothing more is said of it.
  virtual bool watches(const LaunchView& /*launch*/) const { return true; }
  virtual void launch_begins(const LaunchView& /*launch*/) {}
  /// All that was found in this launch. The launch is gone afterwards.
  virtual std::vector<Finding> launch_ends() { return {}; }
  virtual void block_begins(BlockNumber /*block*/) {}
  /// Every thread of the block has ended.
  virtual void block_ends(BlockNumber /*block*/) {}
  /// Whether `executes` and `branch_divides` are to be called, which costs time.
  virtual bool wants_executions() const { return false; }
  /// Every instruction, before anything else that is said about it. One whose guard lets nobody through has
  /// no active lanes.
  virtual void executes(const ExecutionEvent& /*event*/) {}
  /// A branch sends its active lanes different ways.
  virtual void branch_divides(const ExecutionEvent& /*event*/) {}
  /// Whether `accesses` is to be called.
  virtual bool wants_accesses() const { return true; }
  virtual void accesses(const AccessEvent& /*event*/) {}
  virtual void fences(const FenceEvent& /*event*/) {}
  /// bar.warp.sync: the lanes have met.
  virtual void warp_meets(const BarrierEvent& /*event*/) {}
  virtual void warp_sync_arrives(const WarpSyncEvent& /*event*/) {}
  virtual void warp_sync_completes(const WarpSyncEvent& /*event*/) {}
  /// Whether `barrier_arrives`, `warps_arrive` and `barrier_completes` are to be called.
  virtual bool wants_barriers() const { return true; }
  virtual void barrier_arrives(const BarrierEvent& /*event*/) {}
  /// All lanes of one or more warps of a block have come to wait at a barrier, one warp after another: bit w
  /// says warp w, and the event, which names one of them, fits them all. Told when somebody comes otherwise,
  /// or the barrier is complete, or the launch breaks off; until then these warps do nothing.
  virtual void warps_arrive(BarrierEvent event, std::uint32_t warps) {
    for (; warps != 0; warps &= warps - 1) {
      event.warp.warp = static_cast<std::uint32_t>(std::countr_zero(warps));
      barrier_arrives(event);
    }
  }
  /// The barrier is complete: who waits at it goes on.
  virtual void barrier_completes(BlockNumber /*block*/, std::uint32_t /*barrier*/) {}
  /// Lanes go on, at `site`, behind the branch that divided them from those `behind`, who took the other way
  /// and have not come yet. Not announced where they only end.
  virtual void leaves_behind(const BarrierEvent& /*event*/, LaneSet /*behind*/) {}
  virtual void cluster_arrives(const BarrierEvent& /*event*/, bool /*releases*/) {}
  virtual void cluster_completes(std::uint64_t /*cluster*/) {}
  /// Lanes go on behind a cluster barrier that is complete.
  virtual void cluster_waits(const BarrierEvent& /*event*/, bool /*acquires*/) {}
  virtual void exits(const BarrierEvent& /*event*/) {}

  /// Before the launches of a job. `all_reads`: the job is run once more, because `wants_all_reads` asked for
  /// it.
  virtual void job_begins(bool /*all_reads*/) {}
  /// Whether something may have been missed because reads of memory that nobody had written were not kept.
  virtual bool wants_all_reads() const { return false; }
};

using Observers = std::vector<std::unique_ptr<Observer>>;

}  // namespace foldproof
