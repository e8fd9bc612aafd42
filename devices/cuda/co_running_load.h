// Applies a job's co-running load: lower occupancy, and another kernel running at the same time.
#pragma once

#include "devices/cuda/context.h"
#include "devices/launch.h"
#include "devices/schedule.h"

namespace foldproof::cuda {

/// The launch with additional shared memory per block to lower the occupancy as the load requests. Unchanged
/// for launches that might not fit any more (cooperative grids and clusters), and if there is no shared
/// memory left.
LaunchShape limited(const Context& context, const CoRunningLoad& load, LaunchShape shape,
                    CUfunc_st* function);

/// Starts the busy kernel, if the load requests it; it runs for 30 µs.
void begin(Context& context, const CoRunningLoad& load);

}  // namespace foldproof::cuda
