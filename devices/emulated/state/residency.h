// Which blocks are resident. Blocks enter in order through a bounded window, as on hardware; only a
// cooperative launch has all of them resident.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/emulated/state/block.h"
#include "devices/emulated/state/geometry.h"
#include "devices/emulated/state/progress.h"
#include "devices/emulated/state/shared_memory.h"
#include "devices/undefined.h"

namespace foldproof::emulated {

/// Learns of every block that starts, before its first instruction: the owners of what is known about its
/// memory and registers.
class BlockListener {
 public:
  virtual ~BlockListener() = default;
  virtual void block_begins(Block& block) = 0;
  /// `frame`: that of the warp's existing lanes.
  virtual void warp_begins(Warp& warp, Frame& frame, LaneMask existing) = 0;
};

class Residency {
 public:
  /// All references outlive it.
  Residency(const Geometry& geometry, const FunctionCode& entry, const SharedMemory& shared,
            bool lane_by_lane, const UndefinedFill& fill, Progress& progress)
      : geometry_(geometry),
        entry_(entry),
        shared_(shared),
        lane_by_lane_(lane_by_lane),
        fill_(fill),
        progress_(progress) {}
  void listen(BlockListener& listener) { listener_ = &listener; }

  const std::vector<std::unique_ptr<Cluster>>& clusters() const { return resident_; }
  /// Fills the window.
  void admit();
  /// The cluster at that place has ended; the next one may enter.
  void retire(std::size_t place);
  /// Removes all clusters that have ended, and fills the window.
  void refresh();
  /// A block starts when its first turn comes, or when a block of its cluster reaches for its shared memory.
  void start(Block& block);

 private:
  std::unique_ptr<Cluster> new_cluster(std::uint64_t number);

  const Geometry& geometry_;
  const FunctionCode& entry_;
  const SharedMemory& shared_;
  const bool lane_by_lane_;
  const UndefinedFill& fill_;
  Progress& progress_;
  BlockListener* listener_ = nullptr;
  std::uint64_t next_cluster_ = 0;
  std::vector<std::unique_ptr<Cluster>> resident_;
  std::vector<std::unique_ptr<Cluster>> spare_;  ///< ended clusters, whose memory is used again
};

}  // namespace foldproof::emulated
