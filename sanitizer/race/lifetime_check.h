// Shared memory of other blocks of a cluster: it lives from the block's start to its end, and whoever uses it
// must know that it does.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sanitizer/observer.h"
#include "sanitizer/race/clocks.h"

namespace foldproof {

/// Reports `lifetime`: an access to a peer's shared memory that nothing puts after the peer's start, or
/// before its end. Nothing does until the two have met at a cluster barrier, or by release and acquire.
class LifetimeCheck final : public Observer {
 public:
  void launch_begins(const Scene& scene) override;
  std::vector<Finding> launch_ends() override;
  void block_begins(BlockNumber block) override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;
  void fences(const FenceEvent& event) override;
  void warp_meets(const BarrierEvent& event) override;
  void barrier_arrives(const BarrierEvent& event) override;
  void barrier_completes(BlockNumber block, std::uint32_t barrier) override;
  void cluster_arrives(const BarrierEvent& event, bool releases) override;
  void cluster_completes(std::uint64_t cluster) override;
  void cluster_waits(const BarrierEvent& event, bool acquires) override;
  void exits(const BarrierEvent& event) override;

 private:
  /// The last use of a block's shared memory by a warp of another one, at one place of the program.
  struct Use {
    LaneSet lanes = 0;
    Time time = 0;
  };
  using Uses = std::map<std::pair<WarpId, Site>, Use>;

  void report(const WarpId& user, unsigned lane, Site site, const char* message);

  bool clustered_ = false;
  const Scene* scene_ = nullptr;
  Clocks clocks_;
  std::map<BlockNumber, Uses> uses_;
  std::set<BlockNumber> ended_;
  std::set<Site> reported_;
  std::vector<Finding> findings_;
};

}  // namespace foldproof
