// Aligned cluster barriers: the lanes of a warp must execute the same instruction (PTX ISA 9.7.13.4).
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sanitizer/check.h"

namespace foldproof {

/// Reports `barrier-divergence` if lanes of one warp execute barrier.cluster.arrive or .wait at different
/// instructions in one phase and one of them is .aligned, or if some execute an aligned one and others
/// continue past it. Lanes that exit count as arrived.
class ClusterBarrierCheck final : public Check {
 public:
  bool wants_accesses() const override { return false; }
  bool wants_barriers() const override { return false; }
  void launch_begins(const LaunchView& launch) override;
  void block_ends(BlockNumber block) override;
  void cluster_arrives(const BarrierEvent& event, bool releases) override;
  void cluster_wait_begins(const BarrierEvent& event) override;
  void leaves_behind(const BarrierEvent& event, LaneSet behind) override;

 private:
  /// The instructions that lanes of a warp executed in one phase.
  struct Phase {
    std::vector<BarrierEvent> arrivals, waits;
  };
  /// Lanes of a warp are at most one phase apart: phase p is at index p % 2.
  struct Phases {
    LaneSet odd = 0;  ///< lanes whose latest arrival was in an odd phase
    std::array<Phase, 2> phases;

    LaneSet lanes_in(std::size_t index) const { return index == 1 ? odd : ~odd; }
  };

  void arrive(Phases& warp, std::size_t index, const BarrierEvent& event);
  void add(std::vector<BarrierEvent>& executed, const BarrierEvent& event);
  void report(const BarrierEvent& now, const BarrierEvent& other, std::string message);

  std::map<WarpId, Phases> warps_;
  std::set<std::pair<Site, Site>> reported_;
};

}  // namespace foldproof
