// A check that needs to know what happened before what.
#pragma once

#include "sanitizer/observer.h"
#include "sanitizer/race/clocks.h"

namespace foldproof {

/// Tells its clocks of all that orders. Blocks and accesses are left to the check, which has to look at them
/// before (block_begins, block_ends, accesses of Clocks).
class Clocked : public Observer {
 public:
  void launch_begins(const Scene& scene) override {
    keeps_time_ = needs_clocks(scene);
    if (keeps_time_) clocks_.launch_begins(scene);
  }
  void fences(const FenceEvent& event) final {
    if (keeps_time_) clocks_.fences(event);
  }
  void warp_meets(const BarrierEvent& event) final {
    if (keeps_time_) clocks_.warp_meets(event);
  }
  void barrier_arrives(const BarrierEvent& event) final {
    if (keeps_time_) clocks_.barrier_arrives(event);
  }
  void barrier_completes(BlockNumber block, std::uint32_t barrier) final {
    if (keeps_time_) clocks_.barrier_completes(block, barrier);
  }
  void cluster_arrives(const BarrierEvent& event, bool releases) final {
    if (keeps_time_) clocks_.cluster_arrives(event, releases);
  }
  void cluster_completes(std::uint64_t cluster) final {
    if (keeps_time_) clocks_.cluster_completes(cluster);
  }
  void cluster_waits(const BarrierEvent& event, bool acquires) final {
    if (keeps_time_) clocks_.cluster_waits(event, acquires);
  }
  void exits(const BarrierEvent& event) final {
    if (keeps_time_) clocks_.exits(event);
  }

 protected:
  /// Whether anything can be found in such a launch.
  virtual bool needs_clocks(const Scene& scene) const = 0;

  bool keeps_time_ = false;
  Clocks clocks_;
};

}  // namespace foldproof
