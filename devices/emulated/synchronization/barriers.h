// The barriers of blocks and of clusters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/emulated/synchronization/parts.h"

namespace foldproof::emulated {

/// The 16 barriers of a block (bar.sync, bar.arrive, bar.red).
class BlockBarriers {
 public:
  explicit BlockBarriers(const Parts& parts) : parts_(parts) {}

  /// The group at `index` arrives at a barrier instruction; its lanes that name another barrier become a
  /// separate group. The group waits unless it is the last to arrive or the instruction is bar.arrive.
  void arrive(Warp& warp, std::size_t index);
  /// Lanes of the warp have exited, which counts as arriving at every barrier.
  void recheck(Warp& warp);

 private:
  std::uint32_t barrier_in_register(Warp& warp, std::size_t index);
  std::uint32_t wanted_threads(const DivergentGroup& group) const;
  static bool is_complete(const Block& block, Barrier& barrier);
  void release(Block& block, unsigned number);

  Parts parts_;
};

/// The cluster barrier: arrivals and waits, by phase.
class ClusterBarriers {
 public:
  explicit ClusterBarriers(const Parts& parts) : parts_(parts) {}

  /// On return, other groups may have continued and changed their index in the warp.
  void arrive(Warp& warp, const Instruction& i, LaneMask lanes);
  /// Returns true if the phase in which the group's lanes arrived is complete: the group continues. Otherwise
  /// it waits.
  bool wait(Warp& warp, std::size_t index);
  /// Completes the phase if all lanes of the cluster have arrived or exited.
  void recheck(Cluster& cluster);

 private:
  static bool is_complete(const Cluster& cluster);

  Parts parts_;
};

}  // namespace foldproof::emulated
