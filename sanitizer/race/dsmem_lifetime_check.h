// Distributed shared memory: a block's shared memory is valid from the block's start to its end, and other
// blocks of the cluster must synchronize with both.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sanitizer/race/clocked.h"

namespace foldproof {

/// Reports `dsmem-lifetime`: an access to a peer's shared memory that is not ordered after the peer's start,
/// or not before its end. The order requires a cluster barrier between the two blocks, or a release and an
/// acquire.
class DsmemLifetimeCheck final : public Clocked<> {
 public:
  bool watches(const LaunchView& launch) const override { return launch.blocks_per_cluster() > 1; }
  void launch_begins(const LaunchView& launch) override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;

 private:
  struct Use {
    LaneSet lanes = 0;
    Time time = 0;
  };
  /// Uses of a block's shared memory by a warp of another block at one instruction: the last use of each
  /// lane, grouped by time.
  using Uses = std::map<std::pair<WarpId, Site>, std::vector<Use>>;

  static void keep(std::vector<Use>& uses, unsigned lane, Time time);
  LaneSet unknown_to(BlockNumber block, const WarpId& user, const Use& use);
  void report(const WarpId& user, unsigned lane, Site site, const char* message);

  std::map<BlockNumber, Uses> uses_;
  std::set<BlockNumber> ended_;
  std::set<Site> reported_;
};

}  // namespace foldproof
