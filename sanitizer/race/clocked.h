// Base of checks that use happens-before order.
#pragma once

#include <array>
#include <cstddef>

#include "sanitizer/check.h"
#include "sanitizer/race/clocks.h"

namespace foldproof {

/// Forwards all synchronization events to `count` clocks. The check itself forwards accesses
/// (Clocks::accesses), since it may have to inspect them first.
template <std::size_t count = 1>
class Clocked : public Check {
 public:
  void launch_begins(const LaunchView& launch) override {
    Check::launch_begins(launch);
    notify<&Clocks::launch_begins>(launch);
  }
  void block_begins(BlockNumber block) override { notify<&Clocks::block_begins>(block); }
  void block_ends(BlockNumber block) override { notify<&Clocks::block_ends>(block); }
  void fences(const FenceEvent& event) final { notify<&Clocks::fences>(event); }
  void warp_barrier_completes(const BarrierEvent& event) final {
    notify<&Clocks::warp_barrier_completes>(event);
  }
  void warp_sync_completes(const WarpSyncEvent& event) final {
    if (launch_->passes_on_by_shuffle(event.site)) notify<&Clocks::shuffle_passes_on>(event);
  }
  void barrier_arrives(const BarrierEvent& event) final { notify<&Clocks::barrier_arrives>(event); }
  void warps_arrive(BarrierEvent event, std::uint32_t warps) final {
    notify<&Clocks::warps_arrive>(event, warps);
  }
  void barrier_completes(BlockNumber block, std::uint32_t barrier) final {
    notify<&Clocks::barrier_completes>(block, barrier);
  }
  void cluster_arrives(const BarrierEvent& event, bool releases) final {
    notify<&Clocks::cluster_arrives>(event, releases);
  }
  void cluster_completes(std::uint64_t cluster) final { notify<&Clocks::cluster_completes>(cluster); }
  void cluster_waits(const BarrierEvent& event, bool acquires) final {
    notify<&Clocks::cluster_waits>(event, acquires);
  }
  void exits(const BarrierEvent& event) final { notify<&Clocks::exits>(event); }

 protected:
  template <auto function>
  void notify(const auto&... event) {
    for (Clocks& clocks : all_clocks_) (clocks.*function)(event...);
  }

  std::array<Clocks, count> all_clocks_;
  Clocks& clocks_ = all_clocks_[0];
};

}  // namespace foldproof
