// The barrier of a cluster: arrivals and waits, phase after phase.
#pragma once

#include <cstddef>

#include "devices/emulated/synchronization/parts.h"

namespace foldproof::emulated {

class ClusterBarriers {
 public:
  explicit ClusterBarriers(const Parts& parts) : parts_(parts) {}

  /// Other groups may have gone on when it returns, and have moved in their warp.
  void arrive(Warp& warp, const Instruction& i, LaneMask lanes);
  /// True if the phase that the group's lanes arrived in is over: the group goes on. Else it waits.
  bool wait(Warp& warp, std::size_t index);
  /// Ends the phase if all lanes of the cluster have arrived or exited.
  void recheck(Cluster& cluster);

 private:
  static bool is_complete(const Cluster& cluster);

  Parts parts_;
};

}  // namespace foldproof::emulated
