// Applies a job's co-running load: lower occupancy, and another kernel running at the same time.
#pragma once

#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "devices/launch.h"
#include "devices/schedule.h"

namespace foldproof::cuda {

class AppliedLoad {
 public:
  AppliedLoad(Context& context, const CoRunningLoad& load) : context_(context), load_(load) {}

  /// The launch with additional shared memory per block to lower the occupancy as requested. Unchanged for
  /// launches that might not fit any more (cooperative grids and clusters), and if there is no shared memory
  /// left.
  LaunchShape limited(LaunchShape shape, CUfunc_st* function) const;

  /// Starts the busy kernel, if requested; it runs for 30 µs.
  void begin();

 private:
  Context& context_;
  CoRunningLoad load_;
};

}  // namespace foldproof::cuda
