// One run of a job on the emulated device: tracks which of its values are undefined and what depends on them,
// and which input elements its values depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "devices/emulated/device.h"
#include "devices/emulated/shadow/job_provenance.h"
#include "devices/emulated/shadow/origins.h"
#include "devices/runner.h"

namespace foldproof::emulated {

/// A device has at most one at a time.
class JobRun {
 public:
  /// Starts the run. Undefined memory and registers hold `fill`; without it, memory holds poison and
  /// registers zero, so that loops with an unset count terminate. `again`: repeats the launches of the
  /// previous run, whose `wants_replay` requested it.
  JobRun(Device& device, const std::optional<UndefinedFill>& fill, bool again);

  /// Starts tracing values that depend on these elements.
  void trace(Address input, Element element, std::uint64_t count);

  /// Restores the initial state of the buffer that starts at this address.
  void reset(Address at, const JobBuffer& buffer);
  /// One launch of the job.
  LaunchReport launch(ModuleId module, const JobLaunch& step, std::span<const ArgumentBytes> arguments,
                      const Job& job);

  /// Whether observers request that the launches be repeated in fresh memory.
  bool wants_replay() const;
  /// The bytes of a buffer that the launches left undefined.
  UndefinedOutput undefined_output(Address from, const JobBuffer& buffer) const;
  /// For the launches so far.
  UseOfUndefined use_of_undefined() const;
  /// Adds the elements of an output, as they are now, to the results of the trace.
  void trace_output(Address output, Element element, std::uint64_t count);
  /// The trace, at the end of the run.
  ProvenanceTrace provenance();

 private:
  /// Marks the input's bytes in memory as input nodes, also after a reset.
  void claim_input();
  /// The trace of the launch that just ended; `known`: the number of nodes at its start.
  LaunchTrace trace_of_launch(NodeId known) const;

  Device& device_;
  Origins origins_;
  struct Input {
    Address at = 0;
    Element element{};
    std::uint64_t count = 0;
  };
  Input input_;                                ///< set while values are traced
  std::unique_ptr<JobProvenance> provenance_;  ///< null if values are not traced
  std::vector<std::vector<NodeId>> results_;   ///< by traced output
};

}  // namespace foldproof::emulated
