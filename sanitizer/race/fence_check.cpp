#include "sanitizer/race/fence_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foldproof {
namespace {

using What = AccessEvent::What;

constexpr std::size_t released = 0, obeyed = 1;  // the clocks

bool reads(const AccessEvent& event) { return event.what != What::write; }
bool writes(const AccessEvent& event) { return event.what != What::read; }

bool is_plain(const AccessEvent& event) {
  return event.what != What::update && !event.acquires && !event.releases && !event.polled;
}

}  // namespace

void FenceCheck::launch_begins(const Scene& scene) {
  Clocked::launch_begins(scene);
  scene_ = &scene;
  places_.clear();
  reported_.clear();
  findings_.clear();
}

std::vector<Finding> FenceCheck::launch_ends() { return std::exchange(findings_, {}); }

void FenceCheck::block_ends(BlockNumber block) {
  Clocked::block_ends(block);
  places_.erase(places_.lower_bound({block, 0}), places_.lower_bound({block + 1, 0}));
}

void FenceCheck::accesses(const AccessEvent& event) {
  const std::uint32_t element = std::max(event.element_bytes, 1U);
  for_lanes(event.lanes, [&](unsigned lane) {
    const Location first = location_of(event, lane);
    if (!event.strong) {
      if (writes(event)) forget(first, event.bytes);
      return;
    }
    for (std::uint32_t offset = 0; offset < event.bytes; offset += element)
      access(event, lane, {first.owner, first.address + offset});
  });
  AccessEvent taken = event;
  taken.acquires |= event.strong && reads(event);
  all_clocks_[released].accesses(taken);
  if (event.what == What::update && event.unchanged != 0) {  // an attempt that failed tells nobody anything
    AccessEvent failed = taken;
    failed.what = What::read;
    failed.lanes &= event.unchanged;
    if (failed.lanes != 0) all_clocks_[obeyed].accesses(failed);
    taken.lanes &= ~event.unchanged;
  }
  taken.releases |= event.strong && writes(event);
  if (taken.lanes != 0) all_clocks_[obeyed].accesses(taken);
}

void FenceCheck::access(const AccessEvent& event, unsigned lane, const Location& location) {
  Place& place = places_[location];
  if (place.bytes != event.element_bytes) place = {event.element_bytes, {}, false};
  Access now{{event.warp, lane, {}}, event.site, event.scope, writes(event), {}};
  for (const std::size_t k : {released, obeyed}) now.when.time[k] = all_clocks_[k].warp(event.warp).time;
  const auto same_lane = [&](const Moment& m) { return m.warp == event.warp && m.lane == lane; };
  if (is_plain(event))
    for (const Access& earlier : place.accesses)
      if (is_missing_fence(earlier, now)) report(event, earlier, now, location.address);
  if (reads(event) && place.knows_value) {
    const auto last = std::find_if(place.accesses.rbegin(), place.accesses.rend(),
                                   [](const Access& a) { return a.writes; });
    if (std::ranges::none_of(last->seen_by, same_lane)) last->seen_by.push_back(now.when);
  }
  if (is_plain(event)) {
    std::erase_if(place.accesses,
                  [&](const Access& a) { return same_lane(a.when) && a.writes == now.writes; });
    place.accesses.push_back(now);
  }
  if (now.writes) place.knows_value = is_plain(event);
}

// A weak write: what stands there is no strong value.
void FenceCheck::forget(const Location& location, std::uint32_t bytes) {
  constexpr std::uint64_t widest = 16;
  const auto first =
      places_.lower_bound({location.owner, location.address - std::min(location.address, widest)});
  const auto end = places_.lower_bound({location.owner, location.address + bytes});
  for (auto at = first; at != end;)
    at = at->first.address + at->second.bytes > location.address ? places_.erase(at) : std::next(at);
}

bool FenceCheck::happened_before(std::size_t clock, const Moment& earlier, const Moment& now) {
  Clocks& clocks = all_clocks_[clock];
  return clocks.unordered(clocks.warp(now.warp), now.lane, earlier.warp, bit(earlier.lane),
                          earlier.time[clock]) == 0;
}

bool FenceCheck::is_missing_fence(const Access& earlier, const Access& now) {
  if (earlier.when.warp == now.when.warp || !(earlier.writes || now.writes)) return false;
  if (!clocks_.include_each_other(earlier.scope, earlier.when.warp.block, now.scope, now.when.warp.block))
    return false;
  if (happened_before(released, earlier.when, now.when) || !happened_before(obeyed, earlier.when, now.when))
    return false;
  return std::ranges::none_of(earlier.seen_by, [&](const Moment& m) {
    return (m.warp == now.when.warp && m.lane == now.when.lane) || happened_before(released, m, now.when);
  });
}

void FenceCheck::report(const AccessEvent& event, const Access& earlier, const Access& now,
                        std::uint64_t address) {
  if (scene_->orders_its_own(earlier.site) && scene_->orders_its_own(now.site)) return;
  if (!reported_.emplace(earlier.site, now.site).second) return;
  Finding finding;
  finding.kind = Kind::unordered_access;
  finding.severity = Severity::warning;
  finding.at = scene_->position(now.site);
  finding.other = scene_->position(earlier.site);
  finding.threads = {scene_->thread(now.when.warp, now.when.lane),
                     scene_->thread(earlier.when.warp, earlier.when.lane)};
  finding.message = fmt::format(
      "{} {} {}, which {} {} before it raised a flag; without a fence before the flag nothing "
      "orders the two",
      to_string(finding.threads[0]), now.writes ? "writes" : "reads",
      scene_->memory_at(event.shared, address), to_string(finding.threads[1]),
      earlier.writes ? "wrote" : "read");
  findings_.push_back(std::move(finding));
}

}  // namespace foldproof
