#include "sanitizer/mask_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldproof {

void MaskCheck::launch_begins(const LaunchView& launch) {
  Check::launch_begins(launch);
  waiting_.clear();
  reported_.clear();
}

void MaskCheck::block_ends(BlockNumber block) {
  const auto first = waiting_.lower_bound({block, 0});
  waiting_.erase(first, waiting_.lower_bound({block + 1, 0}));
}

void MaskCheck::warp_sync_arrives(const WarpSyncEvent& event) {
  if (const LaneSet outside = event.lanes & ~event.mask; outside != 0)
    report(event, outside,
           fmt::format(
               "lane {} executes this with the member mask {:#010x}, which does not include the lane itself",
               first_lane(outside), event.mask));
  if ((event.mask & ~event.lanes) == 0) return;  // no lanes to wait for
  auto& waiting = waiting_[event.warp];
  for (const WarpSyncEvent& other : waiting) {
    // A lane that is named by a mask but does not name the waiting lane may first take part in another
    // warp-synchronous operation, and arrive here later.
    const LaneSet comes = other.mask & event.lanes, waits = event.mask & other.lanes;
    if (other.site != event.site || other.mask == event.mask || comes == 0 || waits == 0) continue;
    report(event, comes,
           fmt::format("lane {} arrives with the member mask {:#010x} while lane {} waits with {:#010x}; "
                       "each mask names the other lane",
                       first_lane(comes), event.mask, first_lane(waits), other.mask));
  }
  waiting.push_back(event);
}

void MaskCheck::warp_sync_completes(const WarpSyncEvent& event) {
  const auto found = waiting_.find(event.warp);
  if (found == waiting_.end()) return;
  std::erase_if(found->second, [&](const WarpSyncEvent& w) { return (w.lanes & event.lanes) != 0; });
}

void MaskCheck::report(const WarpSyncEvent& event, LaneSet lanes, std::string message) {
  if (!reported_.insert(event.site).second) return;
  findings_.push_back({.kind = Kind::invalid_mask,
                       .message = std::move(message),
                       .at = launch_->position(event.site),
                       .threads = {launch_->thread(event.warp, first_lane(lanes))}});
}

}  // namespace foldproof
