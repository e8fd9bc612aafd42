// Events of synchronization without a kernel: what a pattern sends to the checks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sanitizer/observer.h"

namespace foldproof {

/// Sends events to observers and counts them.
class EventFeed {
 public:
  using What = AccessEvent::What;
  using Lanes = std::array<std::uint64_t, lanes_per_warp>;

  /// How an access is performed.
  struct How {
    What what = What::read;
    bool strong = false, acquires = false, releases = false, polled = false;
    SyncScope scope = SyncScope::gpu;
    Site site = 0;
  };

  EventFeed(Observers& observers, std::uint64_t limit) : observers_(observers), limit_(limit) {}

  std::uint64_t events() const { return events_; }
  bool full() const { return events_ >= limit_; }
  std::uint64_t limit() const { return limit_; }

  void begin(BlockNumber block);
  void end(BlockNumber block, unsigned warps);
  /// Lane 0 accesses an address of global memory.
  void one(WarpId warp, const How& how, std::uint64_t address);
  /// Lane l accesses the word at `address` + 4 · l.
  void line(WarpId warp, const How& how, std::uint64_t address, bool shared = false);
  /// All lanes access one address.
  void same(WarpId warp, const How& how, std::uint64_t address, bool shared = false);
  void fence(WarpId warp, SyncScope scope = SyncScope::gpu, LaneSet lanes = 1);
  void warp_barrier(WarpId warp, LaneSet lanes = all_lanes);
  /// __syncthreads of a block.
  void block_barrier(BlockNumber block, unsigned warps);
  /// An arrival of a whole warp at a barrier that waits for a given number of threads.
  void arrive(WarpId warp, std::uint32_t barrier, std::uint32_t threads, bool waits);
  void complete(BlockNumber block, std::uint32_t barrier);
  /// A barrier of the cluster of two blocks whose first one is given.
  void cluster_barrier(BlockNumber first, unsigned warps);

 private:
  void access(WarpId warp, const How& how, LaneSet lanes, const Lanes& at, bool consecutive, bool shared);
  template <auto function>
  void send(const auto&... event) {
    ++events_;
    for (Observer* observer : watching_) (observer->*function)(event...);
  }

 public:
  /// Starts and ends the launch of a pattern.
  void launch_begins(const LaunchView& launch);
  void launch_ends();

 private:
  Observers& observers_;
  std::vector<Observer*> watching_;
  std::uint64_t limit_, events_ = 0;
};

}  // namespace foldproof
