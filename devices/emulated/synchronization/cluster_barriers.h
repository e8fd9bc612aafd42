// The cluster barrier: arrivals and waits, by phase.
#pragma once

#include <cstddef>

#include "devices/emulated/synchronization/parts.h"

namespace foldproof::emulated {

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
