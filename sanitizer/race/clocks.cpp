#include "sanitizer/race/clocks.h"

#include <algorithm>
#include <utility>

namespace foldproof {

void Clocks::launch_begins(const LaunchView& launch) {
  const std::uint32_t threads = launch.threads_per_block();
  warps_ = (threads + lanes_per_warp - 1) / lanes_per_warp;
  const std::uint32_t rest = threads % lanes_per_warp;
  last_lanes_ = rest == 0 ? all_lanes : bit(rest) - 1;
  blocks_per_cluster_ = launch.blocks_per_cluster();
  blocks_.clear();
  latest_ = nullptr;
  latest_time_ = 0;
  messages_.clear();
  clusters_.clear();
  joined_ = {};
}

void Clocks::block_begins(BlockNumber number) {
  if (spare_.empty()) spare_.push_back(std::make_unique<BlockClock>());
  std::unique_ptr<BlockClock> block = std::move(spare_.back());
  spare_.pop_back();
  block->number = number;
  block->base = latest_time_;
  block->outer = {};
  block->has_released = false;
  for (auto& barrier : block->barriers) barrier = {};
  block->warps.resize(warps_);
  for (std::uint32_t w = 0; w < warps_; ++w) {
    WarpClock& warp = block->warps[w];
    warp.id = {number, w};
    warp.block = block.get();
    warp.time = latest_time_ + 1;
    warp.uniform = 0;
    warp.exited = warp.missing = w + 1 == warps_ ? ~last_lanes_ : 0;
    warp.has_outer = 0;
    warp.pairs.reset();
    warp.outer.reset();
    warp.fencing.reset();
    warp.released_at.clear();
    warp.observed_at.clear();
  }
  latest_ = block.get();
  blocks_[number] = std::move(block);
  if (clustered()) clusters_.try_emplace(number / blocks_per_cluster_);
}

void Clocks::block_ends(BlockNumber number) {
  if (latest_ && latest_->number == number) latest_ = nullptr;
  erase_shared(messages_, number);
  if (clustered()) {
    const auto cluster = clusters_.find(number / blocks_per_cluster_);
    if (++cluster->second.ended == blocks_per_cluster_) clusters_.erase(cluster);
  }
  const auto found = blocks_.find(number);
  for (const WarpClock& warp : found->second->warps) latest_time_ = std::max(latest_time_, warp.time + 1);
  spare_.push_back(std::move(found->second));
  blocks_.erase(found);
}

LaneSet Clocks::unordered(const WarpClock& who, unsigned lane, const WarpId& other, LaneSet lanes,
                          Time time) {
  const BlockClock& own = *who.block;
  if (other.block == who.id.block) {
    if (time < own.base) return 0;
    if (other.warp == who.id.warp) {
      if (time < who.uniform) return 0;
      lanes &= ~bit(lane);
      if (who.pairs)
        for_lanes(lanes, [&](unsigned m) {
          if (time < (*who.pairs)[lane][m]) lanes &= ~bit(m);
        });
    }
  }
  return lanes == 0 ? 0 : outer_of(who, lane).unknown(other, lanes, time);
}

bool Clocks::include_each_other(SyncScope a, BlockNumber block_a, SyncScope b, BlockNumber block_b) const {
  switch (std::min(a, b)) {
    case SyncScope::cta: return block_a == block_b;
    case SyncScope::cluster: return block_a / blocks_per_cluster_ == block_b / blocks_per_cluster_;
    case SyncScope::gpu:
    case SyncScope::sys: return true;
  }
  return true;
}

bool Clocks::knows_of(const WarpClock& who, unsigned lane, BlockNumber other) {
  return outer_of(who, lane).mentions(other);
}

BlockNumber Clocks::next_known(const WarpClock& who, unsigned lane, BlockNumber from) {
  const BlockNumber other = outer_of(who, lane).next_mentioned(from);
  return who.id.block < from ? other : std::min(who.id.block, other);
}

// What lanes of a warp know about their block.
VectorClock Clocks::known_inside(const WarpClock& who, LaneSet lanes) {
  LaneTimes times;
  times.fill(who.uniform);
  for_lanes(lanes, [&](unsigned lane) {
    if (who.pairs)
      for (unsigned m = 0; m < lanes_per_warp; ++m) times[m] = std::max(times[m], (*who.pairs)[lane][m]);
    times[lane] = who.time;
  });
  return {who.id, who.block->base, times};
}

// Adds what they have learnt about others.
void Clocks::join_outside(VectorClock& sum, const WarpClock& who, LaneSet lanes) {
  for_lanes(lanes, [&](unsigned lane) { joined_.add(sum, outer_of(who, lane)); });
}

// Everything that some lanes of a warp know, including their own actions.
VectorClock Clocks::known_to(const WarpClock& who, LaneSet lanes) {
  VectorClock all = known_inside(who, lanes);
  join_outside(all, who, lanes);
  return all;
}

void Clocks::learn(WarpClock& who, LaneSet lanes, const VectorClock& what) {
  if (what.empty()) return;
  if (!who.outer) who.outer = std::make_unique<std::array<VectorClock, lanes_per_warp>>();
  for_lanes(lanes, [&](unsigned lane) {
    VectorClock known = outer_of(who, lane);
    joined_.add(known, what);
    (*who.outer)[lane] = std::move(known);
  });
  who.has_outer |= lanes;
}

}  // namespace foldproof
