#include "sanitizer/counting_observer.h"

#include <algorithm>
#include <bit>

#include "sanitizer/memory_requests.h"

namespace foldproof {
namespace {

constexpr std::size_t max_rounds = 64;

template <class Traffic>
Traffic& select(ByAccess<Traffic>& traffic, AccessEvent::What what) {
  switch (what) {
    case AccessEvent::What::read: return traffic.loads;
    case AccessEvent::What::write: return traffic.stores;
    case AccessEvent::What::update: break;
  }
  return traffic.atomics;
}

}  // namespace

void CountingObserver::job_begins(bool) { counters_ = {}; }

void CountingObserver::launch_begins(const LaunchView& launch) {
  launch_ = &launch;
  blocks_.clear();
  executed_.clear();
  atomics_.clear();
  ++counters_.launches;
  counters_.blocks += launch.blocks();
  counters_.threads += launch.blocks() * launch.threads_per_block();
}

std::vector<Finding> CountingObserver::launch_ends() {
  for (Site site = 0; site < executed_.size(); ++site)
    if (executed_[site] != 0)
      counters_.classes[static_cast<std::size_t>(launch_->class_of(site))] += executed_[site];
  for (const auto& [address, number] : atomics_)
    counters_.atomics_at_busiest_address = std::max(counters_.atomics_at_busiest_address, number);
  return {};
}

void CountingObserver::block_ends(BlockNumber block) { blocks_.erase(block); }

void CountingObserver::executes(const ExecutionEvent& event) {
  if (event.site >= executed_.size()) executed_.resize(event.site + 1);
  ++executed_[event.site];
  ++counters_.warp_instructions;
  counters_.live_lanes += lane_count(event.live);
  counters_.active_lanes += lane_count(event.active);
}

void CountingObserver::branch_divides(const ExecutionEvent&) { ++counters_.divergent_branches; }

void CountingObserver::accesses(const AccessEvent& event) {
  if (event.repeats) return;
  event.shared ? count_shared(event) : count_global(event);
}

void CountingObserver::count_shared(const AccessEvent& event) {
  SharedTraffic& traffic = select(counters_.shared, event.what);
  const std::uint64_t lanes = lane_count(event.lanes);
  const BankService service = serve(event);
  ++traffic.requests;
  traffic.lanes += lanes;
  traffic.passes += service.passes;
  traffic.conflicts += service.conflicts;

  OfBlock& block = blocks_[event.warp.block];
  if (event.warp.warp >= block.shared_requests.size()) block.shared_requests.resize(event.warp.warp + 1);
  const std::uint64_t of_warp = ++block.shared_requests[event.warp.warp];
  counters_.shared_requests_of_busiest_warp = std::max(counters_.shared_requests_of_busiest_warp, of_warp);

  Round& round = round_of(block);
  const bool loads = event.what == AccessEvent::What::read;
  ++(loads ? round.load_requests : round.store_requests);
  (loads ? round.load_lanes : round.store_lanes) += lanes;
}

void CountingObserver::count_global(const AccessEvent& event) {
  GlobalTraffic& traffic = select(counters_.global, event.what);
  ++traffic.requests;
  traffic.lanes += lane_count(event.lanes);
  traffic.sectors += sectors(event);
  if (event.what != AccessEvent::What::update) return;
  for_lanes(event.lanes, [&](unsigned lane) { ++atomics_[event.at[lane]]; });
}

Round& CountingObserver::round_of(const OfBlock& block) {
  if (block.round >= counters_.rounds.size()) counters_.rounds.resize(block.round + 1);
  return counters_.rounds[block.round];
}

void CountingObserver::warp_barrier_completes(const BarrierEvent&) { ++counters_.warp_barriers; }

void CountingObserver::barrier_completes(BlockNumber block, std::uint32_t) {
  ++counters_.block_barriers;
  OfBlock& of = blocks_[block];
  of.round = std::min(of.round + 1, max_rounds - 1);
}

void CountingObserver::cluster_completes(std::uint64_t) { ++counters_.cluster_barriers; }

}  // namespace foldproof
