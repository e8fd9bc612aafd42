#include "devices/emulated/state/residency.h"

#include <algorithm>
#include <iterator>

#include "devices/emulated/state/places.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

constexpr std::size_t resident_blocks = 64;  // unless the launch is cooperative

/// Gives the block as many warps as are live. Those that it does not need now stay with it.
void take_warps(Block& block) {
  for (; block.warps.size() > block.live_warps; block.warps.pop_back())
    block.spare_warps.push_back(std::move(block.warps.back()));
  while (block.warps.size() < block.live_warps) {
    if (block.spare_warps.empty()) block.spare_warps.push_back(std::make_unique<Warp>());
    block.warps.push_back(std::move(block.spare_warps.back()));
    block.spare_warps.pop_back();
  }
}

}  // namespace

Residency::~Residency() {
  std::size_t blocks = 0;
  const auto kept = std::ranges::find_if(spare_, [&](const std::unique_ptr<Cluster>& cluster) {
    blocks += cluster->blocks.size();
    return blocks > resident_blocks;
  });
  spare_.erase(kept, spare_.end());
  for (const auto& cluster : spare_)
    for (const auto& block : cluster->blocks)
      for (const auto* warps : {&block->warps, &block->spare_warps})
        for (const auto& warp : *warps) warp->forget_code();
}

void Residency::admit() {
  const std::size_t blocks = geometry_.blocks_per_cluster();
  const std::size_t window = geometry_.shape().cooperative
                                 ? geometry_.clusters()
                                 : std::max<std::size_t>(1, resident_blocks / blocks);
  while (resident_.size() < window && next_cluster_ < geometry_.clusters())
    resident_.push_back(new_cluster(next_cluster_++));
}

void Residency::retire(std::size_t place) {
  spare_.push_back(std::move(resident_[place]));
  resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(place));
  admit();
}

void Residency::refresh() {
  const auto ended =
      std::ranges::stable_partition(resident_, [](const auto& cluster) { return cluster->live_blocks != 0; });
  std::ranges::move(ended, std::back_inserter(spare_));
  resident_.erase(ended.begin(), ended.end());
  admit();
}

std::unique_ptr<Cluster> Residency::new_cluster(std::uint64_t number) {
  const std::uint32_t blocks = geometry_.blocks_per_cluster();
  const Dim3 grid = geometry_.shape().grid;
  std::unique_ptr<Cluster> cluster;
  if (spare_.empty()) {
    cluster = std::make_unique<Cluster>();
  } else {
    cluster = std::move(spare_.back());
    spare_.pop_back();
  }
  cluster->number = number;
  cluster->index = geometry_.cluster_index(number);
  cluster->phase = 0;
  cluster->arrived.clear();
  cluster->blocks.resize(blocks);
  cluster->live_blocks = blocks;
  for (std::uint32_t rank = 0; rank < blocks; ++rank) {
    if (!cluster->blocks[rank]) cluster->blocks[rank] = std::make_unique<Block>();
    Block& block = *cluster->blocks[rank];
    block.index = geometry_.block_index(number, rank);
    block.linear =
        block.index.x + std::uint64_t{grid.x} * (block.index.y + std::uint64_t{grid.y} * block.index.z);
    block.cluster = cluster.get();
    block.rank = rank;
    block.number = number * blocks + rank;
    block.started = false;
  }
  return cluster;
}

void Residency::start(Block& block) {
  block.started = true;
  progress_.changed();
  block.next_warp = 0;
  block.shared.resize(shared_.bytes);
  fill_undefined(block.shared, fill_, shared_memory(block.number), 0);
  for_lanes(block.barriers_in_use, [&](unsigned number) { block.barriers[number].reset(); });
  block.barriers_in_use = 0;
  const unsigned threads = geometry_.threads_per_block();
  block.live_warps = geometry_.warps_per_block();
  take_warps(block);
  for (unsigned w = 0; w < block.live_warps; ++w) {
    const LaneMask existing = lowest_lanes(std::min(threads - w * isa::warp_size, isa::warp_size));
    block.warps[w]->reset(block, w, existing, entry_, lane_by_lane_);
    if (entry_.local_bytes != 0) block.warps[w]->begin_local(existing, 0, entry_.local_bytes, fill_);
  }
  block_begins_(block);
}

}  // namespace foldproof::emulated
