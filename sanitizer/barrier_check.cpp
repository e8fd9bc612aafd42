#include "sanitizer/barrier_check.h"

#include <fmt/format.h>

namespace foldproof {
namespace {

std::string threads_in_words(std::uint32_t count) {
  return count == 0 ? "the whole block" : fmt::format("{} threads", count);
}

bool is_alike(const BarrierEvent& a, const BarrierEvent& b) {
  return a.site == b.site && a.threads == b.threads;
}

}  // namespace

void BarrierCheck::launch_begins(const LaunchView& launch) {
  Check::launch_begins(launch);
  phases_.clear();
  latest_ = nullptr;
  reported_.clear();
  of_one_line_.clear();
}

void BarrierCheck::block_ends(BlockNumber block) {
  phases_.erase(block);
  latest_ = nullptr;
}

void BarrierCheck::barrier_arrives(const BarrierEvent& event) {
  Phase& phase = of_block(event.warp.block)[event.barrier];
  if (phase.latest && event.lanes == all_lanes && is_alike(*phase.latest, event)) return;
  // Comparing with the latest arrival and with those of the same warp eventually finds every difference.
  if (phase.latest) compare(*phase.latest, event);
  if (event.lanes != all_lanes) {
    std::vector<BarrierEvent>& of_warp = phase.parts[event.warp.warp];
    for (const BarrierEvent& other : of_warp) compare(other, event);
    of_warp.push_back(event);
  }
  phase.latest = event;
}

// Warps that arrive as a whole do not differ from each other: one event represents all.
void BarrierCheck::warps_arrive(BarrierEvent event, std::uint32_t /*warps*/) { barrier_arrives(event); }

void BarrierCheck::barrier_completes(BlockNumber block, std::uint32_t barrier) {
  Phase& phase = of_block(block)[barrier];
  phase.latest.reset();
  phase.parts.clear();
}

void BarrierCheck::compare(const BarrierEvent& earlier, const BarrierEvent& now) {
  if (is_alike(earlier, now)) return;
  const std::uint32_t here = counted(now), there = counted(earlier);
  if (here != there)
    return report(
        now, earlier,
        fmt::format("barrier {} expects {} at this arrival, but {} at another one in the same phase",
                    now.barrier, threads_in_words(here), threads_in_words(there)));
  if (earlier.votes != now.votes)
    return report(
        now, earlier,
        fmt::format("some threads reach barrier {} with a vote (.red), and others reach it without one",
                    now.barrier));
  if (earlier.site == now.site || !earlier.waits || !now.waits) return;
  if (earlier.warp == now.warp && (earlier.aligned || now.aligned))
    return report(now, earlier, "threads of one warp wait for each other at different barriers");
  const bool syncthreads = now.barrier == 0 && now.threads == 0 && earlier.threads == 0;
  if (syncthreads && !of_one_line(earlier.site, now.site))
    return report(now, earlier,
                  "some warps of the block wait at this barrier, but others wait at a different one");
}

// Returns 0 if the count names the whole block; a count is in whole warps.
std::uint32_t BarrierCheck::counted(const BarrierEvent& event) const {
  const std::uint32_t warps = (launch_->threads_per_block() + lanes_per_warp - 1) / lanes_per_warp;
  return event.threads == warps * lanes_per_warp ? 0 : event.threads;
}

// The compiler duplicates barriers: loops are unrolled, and code after a branch may be copied into both of
// its paths.
bool BarrierCheck::of_one_line(Site a, Site b) {
  const auto [entry, is_new] = of_one_line_.try_emplace({a, b});
  if (is_new) {
    const Position one = launch_->position(a), other = launch_->position(b);
    entry->second = one.line == other.line && one.file == other.file;
  }
  return entry->second;
}

// Lanes continue after the branch that separated them from other lanes of their warp.
void BarrierCheck::leaves_behind(const BarrierEvent& event, LaneSet behind) {
  const auto found = phases_.find(event.warp.block);
  if (found == phases_.end()) return;
  for (const Phase& phase : found->second) {
    const auto of_warp = phase.parts.find(event.warp.warp);
    if (of_warp == phase.parts.end()) continue;
    for (const BarrierEvent& waiting : of_warp->second)
      if (waiting.waits && waiting.aligned && (waiting.lanes & behind) != 0)
        return report(waiting, event,
                      "some threads of the warp wait at this barrier, but others have already passed it");
  }
}

void BarrierCheck::report(const BarrierEvent& now, const BarrierEvent& other, std::string message) {
  if (!reported_.emplace(now.site, other.site).second) return;
  add_pair(Kind::barrier_divergence, std::move(message), now, other);
}

}  // namespace foldproof
