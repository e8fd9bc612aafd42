#include "sanitizer/race/fence_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sanitizer/work.h"

namespace foldproof {
namespace {

using What = AccessEvent::What;

constexpr std::size_t released = 0, obeyed = 1;  // indices of the clocks

bool reads(const AccessEvent& event) { return event.what != What::write; }
bool writes(const AccessEvent& event) { return event.what != What::read; }

}  // namespace

void FenceCheck::launch_begins(const LaunchView& launch) {
  Clocked::launch_begins(launch);
  places_.clear();
  accessed_.clear();
  reported_.clear();
}

void FenceCheck::block_ends(BlockNumber block) {
  if (!all_clocks_[obeyed].block(block).has_released) forget_unreleased(block);
  accessed_.erase(block);
  Clocked::block_ends(block);
  erase_shared(places_, block);
}

void FenceCheck::forget_unreleased(BlockNumber block) {
  const auto forget = [&](Accesses& accesses) {
    auto& by_warp = accesses.by_warp;
    by_warp.erase(by_warp.lower_bound({block, 0}), by_warp.lower_bound({block + 1, 0}));
  };
  for (const Location& location : accessed_[block]) {
    const auto place = places_.find(location);
    if (place == places_.end()) continue;
    forget(place->second.reads);
    forget(place->second.writes);
  }
}

void FenceCheck::accesses(const AccessEvent& event) {
  const std::uint32_t element = std::max(event.element_bytes, 1U);
  for_lanes(event.lanes, [&](unsigned lane) {
    const Location first = location_of(event, lane);
    if (!event.strong) {
      if (writes(event))  // the location no longer holds a strong value
        erase_overlapping(places_, first, event.bytes, [](const auto& /*place*/) { return false; });
      return;
    }
    for (std::uint32_t offset = 0; offset < event.bytes; offset += element)
      access(event, lane, {first.owner, first.address + offset});
  });
  notify_clocks(event);
}

// In the second clock every strong write releases, except an atomic that leaves the value unchanged. The
// lanes of an atomic act one after another: a lane may have waited for lanes before it.
void FenceCheck::notify_clocks(const AccessEvent& event) {
  AccessEvent taken = event;
  taken.acquires |= event.strong && reads(event);
  all_clocks_[released].accesses(taken);
  const LaneSet unchanged = event.what == What::update ? event.unchanged : 0;
  for (LaneSet left = event.lanes; left != 0; left &= ~taken.lanes) {
    const bool changes = !contains(unchanged, first_lane(left));
    const LaneSet others = left & (changes ? unchanged : ~unchanged);
    taken.lanes = others == 0 ? left : left & lowest_lanes(first_lane(others));
    taken.what = changes ? event.what : What::read;
    taken.releases = event.releases || (event.strong && changes && writes(event));
    all_clocks_[obeyed].accesses(taken);
  }
}

void FenceCheck::access(const AccessEvent& event, unsigned lane, const Location& location) {
  Place& place = places_[location];
  if (place.bytes != event.element_bytes) place = {event.element_bytes, {}, {}, nullptr};
  Access now{{event.warp, bit(lane), {}}, event.site, event.scope, nullptr};
  for (const std::size_t k : {released, obeyed}) now.when.time[k] = all_clocks_[k].warp(event.warp).time;
  if (event.is_plain()) {
    compare(event, place.writes, now, location.address);
    if (writes(event)) compare(event, place.reads, now, location.address);
  }
  if (reads(event) && place.readers && !has_read(*place.readers, now.when))
    (*place.readers)[event.warp].push_back(now.when);
  std::shared_ptr<Readers> readers;
  if (event.is_plain()) {
    Access& kept = remember(writes(event) ? place.writes : place.reads, now, location);
    if (writes(event) && !kept.readers) kept.readers = std::make_shared<Readers>();
    readers = kept.readers;
  }
  if (writes(event)) place.readers = readers;
}

// A lane's last access represents its earlier ones.
FenceCheck::Access& FenceCheck::remember(Accesses& accesses, const Access& now, const Location& location) {
  if (std::ranges::find(accesses.sites, now.site) == accesses.sites.end()) accesses.sites.push_back(now.site);
  std::vector<Access>& own = accesses.by_warp[now.when.warp];
  if (own.empty()) accessed_[now.when.warp.block].insert(location);
  for (Access& access : own) access.when.lanes &= ~now.when.lanes;
  std::erase_if(own, [](const Access& access) { return access.when.lanes == 0; });
  const auto same = std::ranges::find_if(own, [&](const Access& access) {
    return access.when.time == now.when.time && access.site == now.site && access.scope == now.scope;
  });
  if (same == own.end()) return own.emplace_back(now);
  same->when.lanes |= now.when.lanes;
  return *same;
}

bool FenceCheck::may_report(Site earlier, Site now) const {
  const auto found = reported_.find({earlier, now});
  return found == reported_.end() || found->second == Severity::warning;
}

// The first block from `from` on that the released clock or, with `also_obeyed`, the obeyed clock knows.
BlockNumber FenceCheck::next_known(const Moment& now, BlockNumber from, bool also_obeyed) {
  const auto next = [&](std::size_t clock) {
    return Clocks::next_known(all_clocks_[clock].warp(now.warp), first_lane(now.lanes), from);
  };
  return also_obeyed ? std::min(next(released), next(obeyed)) : next(released);
}

// Reports missing fences. A write represents every access that is ordered before it, so those are dropped.
// Accesses of blocks that neither clock knows are neither reported nor dropped; those that only the obeyed
// clock knows are not dropped.
void FenceCheck::compare(const AccessEvent& event, Accesses& earlier, const Access& now,
                         std::uint64_t address) {
  const bool may_report_any =
      std::ranges::any_of(earlier.sites, [&](Site site) { return may_report(site, now.site); });
  if (!may_report_any && !writes(event)) return;
  auto& by_warp = earlier.by_warp;
  for (auto of_warp = by_warp.begin(); of_warp != by_warp.end();) {
    ++steps_of_checks;
    const BlockNumber block = of_warp->first.block;
    if (const BlockNumber known = next_known(now.when, block, may_report_any); known != block) {
      of_warp = by_warp.lower_bound({known, 0});
      continue;
    }
    std::vector<Access>& accesses = of_warp->second;
    for (Access& access : accesses) {
      ++steps_of_checks;
      const LaneSet late = unordered(released, access.when, access.when.lanes, now.when);
      if (late != 0 && may_report(access.site, now.site)) {
        const LaneSet missing = missing_fences(access, late, now);
        if (missing != 0) report(event, access, first_lane(missing), now, address);
      }
      if (writes(event)) access.when.lanes = late;
    }
    if (writes(event)) std::erase_if(accesses, [](const Access& access) { return access.when.lanes == 0; });
    of_warp = accesses.empty() ? by_warp.erase(of_warp) : std::next(of_warp);
  }
}

LaneSet FenceCheck::unordered(std::size_t clock, const Moment& earlier, LaneSet lanes, const Moment& now) {
  Clocks& clocks = all_clocks_[clock];
  return Clocks::unordered(clocks.warp(now.warp), first_lane(now.lanes), earlier.warp, lanes,
                           earlier.time[clock]);
}

// Of the lanes whose access is not ordered before this one, those that the program has waited for.
LaneSet FenceCheck::missing_fences(const Access& earlier, LaneSet late, const Access& now) {
  if (earlier.when.warp == now.when.warp) return 0;
  if (!clocks_.include_each_other(earlier.scope, earlier.when.warp.block, now.scope, now.when.warp.block))
    return 0;
  const LaneSet waited_for = late & ~unordered(obeyed, earlier.when, late, now.when);
  return waited_for == 0 || (earlier.readers && has_seen(*earlier.readers, now.when)) ? 0 : waited_for;
}

bool FenceCheck::has_read(const Readers& readers, const Moment& now) {
  const auto own = readers.find(now.warp);
  return own != readers.end() &&
         std::ranges::any_of(own->second, [&](const Moment& m) { return (m.lanes & now.lanes) != 0; });
}

bool FenceCheck::has_seen(const Readers& readers, const Moment& now) {
  if (has_read(readers, now)) return true;
  for (auto of_warp = readers.begin(); of_warp != readers.end();) {
    ++steps_of_checks;
    const BlockNumber block = of_warp->first.block;
    if (const BlockNumber known = next_known(now, block, false); known != block) {
      of_warp = readers.lower_bound({known, 0});
      continue;
    }
    const auto is_known = [&](const Moment& m) { return unordered(released, m, m.lanes, now) != m.lanes; };
    if (std::ranges::any_of(of_warp->second, is_known)) return true;
    ++of_warp;
  }
  return false;
}

void FenceCheck::report(const AccessEvent& event, const Access& earlier, unsigned earlier_lane,
                        const Access& now, std::uint64_t address) {
  const Severity severity =
      earlier.when.warp.block == now.when.warp.block ? Severity::warning : Severity::error;
  const auto [reported, is_new] = reported_.try_emplace({earlier.site, now.site}, severity);
  if (!is_new && severity == Severity::warning) return;
  reported->second = severity;
  const ThreadId thread = launch_->thread(now.when.warp, first_lane(now.when.lanes)),
                 other = launch_->thread(earlier.when.warp, earlier_lane);
  findings_.push_back(
      {.kind = Kind::unordered_access,
       .severity = severity,
       .message = fmt::format("{} {} {}, which {} {} before it set a flag; the two accesses are unordered "
                              "because there is no fence before the flag",
                              to_string(thread), writes(event) ? "writes" : "reads",
                              launch_->memory_at(event.shared, address), to_string(other),
                              earlier.readers ? "wrote" : "read"),
       .at = launch_->position(now.site),
       .other = launch_->position(earlier.site),
       .threads = {thread, other}});
}

}  // namespace foldproof
