// One launch of one kernel: constructs the owners of its state, and schedules blocks, warps and groups until
// all have exited.
//
//   Launch ─ resident clusters ─ blocks ─ warps ─ divergent groups
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "devices/emulated/coverage/coverage.h"
#include "devices/emulated/execution/executor.h"
#include "devices/emulated/scheduling/livelock.h"
#include "devices/emulated/scheduling/scheduler.h"
#include "devices/emulated/shadow/job_provenance.h"
#include "devices/emulated/shadow/origins.h"
#include "devices/emulated/state/residency.h"
#include "devices/launch.h"

namespace foldproof::emulated {

/// Job state to which a launch reports, in addition to its own report. Null: not requested; costs nothing.
struct LaunchOwners {
  Origins* origins = nullptr;           ///< if undefined values are tracked
  JobProvenance* provenance = nullptr;  ///< if values are traced to the input
  Coverage* coverage = nullptr;         ///< if branches and comparisons are recorded
  AcceptsFinding accepts = {};
};

class Launch {
 public:
  /// `shape` must be one that the device can launch, with `parameters` laid out as `entry` expects them. All
  /// references must outlive it.
  Launch(const Program& program, const FunctionCode& entry, Memory& memory, SpareClusters& spare,
         const LaunchShape& shape, std::vector<std::byte> parameters, const Schedule& schedule,
         const Limits& limits, const Observers& observers, const LaunchOwners& owners);

  /// Call once. Throws InputError and Unsupported for operations that the program cannot perform here.
  LaunchReport run();

 private:
  void run_round();
  bool run_all_blocks();
  bool run_block(Block& block);
  void run_warp(Warp& warp, std::uint64_t budget);
  [[noreturn]] void report_timeout(const Warp& warp);
  /// Throws LaunchEnded some time after a finding that left no result, or no end, to wait for.
  void end_if_overlong();

  const Limits limits_;
  const AcceptsFinding accepts_;
  const UndefinedFill fill_;
  Geometry geometry_;
  SharedMemory shared_memory_;
  Choices choices_;
  Progress progress_;
  std::optional<std::uint64_t> spoilt_at_;  ///< first such finding, in warp instructions
  FindingLog findings_;
  Residency residency_;
  AddressSpace addresses_;
  Events events_;
  std::optional<Definedness> definedness_;
  std::optional<Provenance> provenance_;
  Shadow shadow_;
  Parts parts_;
  Executor executor_;
  Scheduler scheduler_;
  Livelock livelock_;
};

}  // namespace foldproof::emulated
