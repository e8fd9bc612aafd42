#include "sanitizer/race/dsmem_lifetime_check.h"

#include <fmt/format.h>

namespace foldproof {

void DsmemLifetimeCheck::launch_begins(const LaunchView& launch) {
  Clocked::launch_begins(launch);
  uses_.clear();
  ended_.clear();
  reported_.clear();
}

// The memory is valid until the block's last thread exits. A use is in time if any thread of the block had
// synchronized with it before exiting.
void DsmemLifetimeCheck::block_ends(BlockNumber block) {
  ended_.insert(block);
  for (const auto& [place, uses] : uses_[block]) {
    const auto& [user, site] = place;
    LaneSet late = 0;
    for (const Use& use : uses) late |= unknown_to(block, user, use);
    if (late != 0)
      report(user, first_lane(late), site,
             "accesses the shared memory of another block, which may exit first");
  }
  uses_.erase(block);
  Clocked::block_ends(block);
}

// The lanes of a use with which no thread of the block has synchronized.
LaneSet DsmemLifetimeCheck::unknown_to(BlockNumber block, const WarpId& user, const Use& use) {
  LaneSet late = use.lanes;
  for (const WarpClock& warp : clocks_.block(block).warps)
    for (unsigned lane = 0; late != 0 && lane < lanes_per_warp; ++lane)
      late = clocks_.unordered(warp, lane, user, late, use.time);
  return late;
}

// Synchronizing with a lane's last use implies its earlier ones.
void DsmemLifetimeCheck::keep(std::vector<Use>& uses, unsigned lane, Time time) {
  if (uses.empty() || uses.back().time != time) uses.push_back({0, time});
  for (Use& use : uses) use.lanes &= ~bit(lane);
  uses.back().lanes |= bit(lane);
  std::erase_if(uses, [](const Use& use) { return use.lanes == 0; });
}

void DsmemLifetimeCheck::accesses(const AccessEvent& event) {
  if (event.shared && event.owner) {
    const WarpClock& who = clocks_.warp(event.warp);
    for_lanes(event.lanes, [&](unsigned lane) {
      const BlockNumber owner = event.owner[lane];
      if (owner == event.warp.block) return;
      if (ended_.contains(owner))
        report(event.warp, lane, event.site,
               "accesses the shared memory of another block, which has already exited");
      else if (!clocks_.knows_of(who, lane, owner))
        report(event.warp, lane, event.site,
               "accesses the shared memory of another block, which may not have started yet");
      keep(uses_[owner][{event.warp, event.site}], lane, who.time);
    });
  }
  clocks_.accesses(event);
}

void DsmemLifetimeCheck::report(const WarpId& user, unsigned lane, Site site, const char* message) {
  if (!reported_.insert(site).second) return;
  const ThreadId thread = launch_->thread(user, lane);
  findings_.push_back({.kind = Kind::dsmem_lifetime,
                       .message = fmt::format("{} {}", to_string(thread), message),
                       .at = launch_->position(site),
                       .threads = {thread}});
}

}  // namespace foldproof
