// Resident blocks. Blocks enter in order through a bounded window, as on hardware; only in a cooperative
// launch are all blocks resident.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "devices/emulated/state/block.h"
#include "devices/emulated/state/geometry.h"
#include "devices/emulated/state/progress.h"
#include "devices/undefined_fill.h"

namespace foldproof::emulated {

/// Clusters of ended launches of a device, whose memory the next launches reuse.
using SpareClusters = std::vector<std::unique_ptr<Cluster>>;

class Residency {
 public:
  /// All references must outlive it. `block_begins` is called for every block that starts, before its first
  /// instruction: it initializes the shadow state of the block's memory and registers.
  Residency(
      const Geometry& geometry, const FunctionCode& entry, const SharedMemory& shared, bool lane_by_lane,
      const UndefinedFill& fill, Progress& progress, SpareClusters& spare,
      std::function<void(Block&)> block_begins = [](Block&) {})
      : geometry_(geometry),
        entry_(entry),
        shared_(shared),
        lane_by_lane_(lane_by_lane),
        fill_(fill),
        progress_(progress),
        spare_(spare),
        block_begins_(std::move(block_begins)) {}
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;
  /// Leaves ended clusters to the next launch, as many as a window has.
  ~Residency();

  const std::vector<std::unique_ptr<Cluster>>& clusters() const { return resident_; }
  /// Fills the window with new clusters.
  void admit();
  /// Removes the cluster at that index, which has ended; the next one may enter.
  void retire(std::size_t place);
  /// Removes all clusters that have ended, and fills the window.
  void refresh();
  /// A block starts at its first turn, or when a block of its cluster accesses its shared memory.
  void start(Block& block);

 private:
  std::unique_ptr<Cluster> new_cluster(std::uint64_t number);

  const Geometry& geometry_;
  const FunctionCode& entry_;
  const SharedMemory& shared_;
  const bool lane_by_lane_;
  const UndefinedFill& fill_;
  Progress& progress_;
  SpareClusters& spare_;
  std::function<void(Block&)> block_begins_;
  std::uint64_t next_cluster_ = 0;
  std::vector<std::unique_ptr<Cluster>> resident_;
};

}  // namespace foldproof::emulated
