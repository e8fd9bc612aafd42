// Member masks: a lane that executes a .sync instruction must be in its own mask, and lanes that name each
// other must name the same lanes (PTX ISA 9.7.9.6 and the other .sync instructions).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sanitizer/check.h"

namespace foldproof {

class MaskCheck final : public Check {
 public:
  bool wants_accesses() const override { return false; }
  bool wants_barriers() const override { return false; }
  void launch_begins(const LaunchView& launch) override;
  void block_ends(BlockNumber block) override;
  void warp_sync_arrives(const WarpSyncEvent& event) override;
  void warp_sync_completes(const WarpSyncEvent& event) override;

 private:
  void report(const WarpSyncEvent& event, LaneSet lanes, std::string message);

  std::map<WarpId, std::vector<WarpSyncEvent>> waiting_;
  std::set<Site> reported_;
};

}  // namespace foldproof
