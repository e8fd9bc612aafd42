// Applies a job's co-running load: fewer of its blocks resident together, and another kernel beside it.
#pragma once

#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "devices/launch.h"
#include "devices/order.h"

namespace foldproof::cuda {

class AppliedLoad {
 public:
  AppliedLoad(Context& context, const CoRunningLoad& load) : context_(context), load_(load) {}

  /// The launch with more shared memory for each block, as the occupancy limit asks; as it is where it may
  /// not have more (cooperative grids and clusters, which might not fit any more).
  LaunchShape limited(LaunchShape shape, CUfunc_st* function) const;

  /// Starts the busy kernel, where there is to be one; it runs for a while.
  void begin();

 private:
  Context& context_;
  CoRunningLoad load_;
};

}  // namespace foldproof::cuda
