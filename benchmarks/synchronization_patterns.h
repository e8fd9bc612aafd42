// Synchronization patterns as streams of events, without a kernel: what bench races feeds to the checks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "benchmarks/event_feed.h"

namespace foldproof {

struct SynchronizationPattern {
  std::string_view name;
  unsigned warps;                ///< per block
  unsigned cluster;              ///< blocks per cluster
  void (*run)(EventFeed& feed);  ///< until the feed is full
};

/// Those in which the threads of a block synchronize, or nothing needs an order.
std::span<const SynchronizationPattern> block_patterns();
/// Those in which blocks synchronize by flags, locks and counters.
std::span<const SynchronizationPattern> flag_patterns();
/// All.
std::vector<SynchronizationPattern> synchronization_patterns();

/// Runs a pattern under all checks until it has sent that many events, and returns how many it sent.
std::uint64_t run_pattern(const SynchronizationPattern& pattern, std::uint64_t events);

}  // namespace foldproof
