#include "benchmarks/event_feed.h"

namespace foldproof {

void EventFeed::launch_begins(const LaunchView& launch) {
  for (const auto& observer : observers_)
    if (observer->watches(launch)) watching_.push_back(observer.get());
  for (Observer* observer : watching_) observer->launch_begins(launch);
}

void EventFeed::launch_ends() {
  for (Observer* observer : watching_) observer->launch_ends();
}

void EventFeed::begin(BlockNumber block) { send<&Observer::block_begins>(block); }

void EventFeed::end(BlockNumber block, unsigned warps) {
  for (unsigned w = 0; w < warps; ++w)
    send<&Observer::exits>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes});
  send<&Observer::block_ends>(block);
}

void EventFeed::access(WarpId warp, const How& how, LaneSet lanes, const Lanes& at, bool consecutive,
                       bool shared) {
  AccessEvent event;
  event.what = how.what;
  event.strong = how.strong;
  event.acquires = how.acquires;
  event.releases = how.releases;
  event.polled = how.polled;
  event.scope = how.scope;
  event.site = how.site;
  event.bytes = event.element_bytes = 4;
  event.warp = warp;
  event.lanes = lanes;
  event.at = at.data();
  event.consecutive = consecutive;
  event.shared = shared;
  send<&Observer::accesses>(event);
}

void EventFeed::one(WarpId warp, const How& how, std::uint64_t address) {
  access(warp, how, 1, {address}, true, false);
}

void EventFeed::line(WarpId warp, const How& how, std::uint64_t address, bool shared) {
  Lanes at;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) at[lane] = address + 4 * lane;
  access(warp, how, all_lanes, at, true, shared);
}

void EventFeed::same(WarpId warp, const How& how, std::uint64_t address, bool shared) {
  Lanes at;
  at.fill(address);
  access(warp, how, all_lanes, at, false, shared);
}

void EventFeed::fence(WarpId warp, SyncScope scope, LaneSet lanes) {
  send<&Observer::fences>(FenceEvent{warp, lanes, scope});
}

void EventFeed::warp_barrier(WarpId warp, LaneSet lanes) {
  send<&Observer::warp_barrier_completes>(BarrierEvent{.warp = warp, .lanes = lanes});
}

void EventFeed::block_barrier(BlockNumber block, unsigned warps) {
  for (unsigned w = 0; w < warps; ++w)
    send<&Observer::barrier_arrives>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes});
  send<&Observer::barrier_completes>(block, std::uint32_t{0});
}

void EventFeed::arrive(WarpId warp, std::uint32_t barrier, std::uint32_t threads, bool waits) {
  send<&Observer::barrier_arrives>(
      BarrierEvent{.warp = warp, .lanes = all_lanes, .barrier = barrier, .waits = waits, .threads = threads});
}

void EventFeed::complete(BlockNumber block, std::uint32_t barrier) {
  send<&Observer::barrier_completes>(block, barrier);
}

void EventFeed::cluster_barrier(BlockNumber first, unsigned warps) {
  for (BlockNumber block = first; block < first + 2; ++block)
    for (unsigned w = 0; w < warps; ++w)
      send<&Observer::cluster_arrives>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes}, true);
  send<&Observer::cluster_completes>(std::uint64_t{first / 2});
  for (BlockNumber block = first; block < first + 2; ++block)
    for (unsigned w = 0; w < warps; ++w)
      send<&Observer::cluster_waits>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes}, true);
}

}  // namespace foldproof
