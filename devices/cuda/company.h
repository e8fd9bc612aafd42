// What else a GPU does while the kernels of a job run. It has an order of its own; what can be had of it is
// how many blocks are resident together, and who else is there.
#pragma once

#include <cstdint>

#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "devices/launch.h"
#include "devices/order.h"

namespace foldproof::cuda {

/// Drawn from a job's schedule: `converging` has none.
class Company {
 public:
  Company(Context& context, const Schedule& schedule);

  /// The launch with more shared memory for each block, so that fewer are resident together; as it is where
  /// it may not have more (cooperative grids and clusters, which might not fit any more).
  LaunchShape crowded(LaunchShape shape, CUfunc_st* function) const;

  /// Keeps some of the multiprocessors busy for a while, from about now on.
  void begin();

 private:
  Context& context_;
  double share_ = 0;  ///< of the shared memory that is left
  bool busy_ = false;
};

}  // namespace foldproof::cuda
