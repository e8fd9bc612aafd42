// One run of a job on the emulated device: which of its values are undefined and what depends on them, and of
// which elements of the input its values are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "devices/emulated/device.h"
#include "devices/emulated/shadow/job_provenance.h"
#include "devices/emulated/shadow/origins.h"
#include "devices/undefined.h"

namespace foldproof::emulated {

/// A device has one at a time.
class JobRun {
 public:
  /// From now on, undefined memory and registers hold `fill`; where it is absent, memory holds poison and
  /// registers zero, so that loops over an unset count end. `again`: the launches are those of the run
  /// before, whose `wants_replay` asked for it.
  JobRun(Device& device, const std::optional<UndefinedFill>& fill, bool again);

  /// From now on, values made of these elements are traced.
  void trace(Address input, Element element, std::uint64_t count);

  void write(Address to, std::span<const std::byte> bytes);
  LaunchReport launch(ModuleId module, std::string_view entry, const LaunchShape& shape,
                      std::span<const ArgumentBytes> arguments, const Schedule& schedule,
                      const Limits& limits);

  /// Whether observers ask for the launches once more, in fresh memory.
  bool wants_replay() const;
  /// What the launches left undefined in a buffer. `loose_element`: see JobBuffer.
  UndefinedOutput undefined_output(Address from, std::uint64_t bytes, std::string_view name,
                                   std::uint32_t loose_element) const;
  /// Of the launches until now.
  UseOfUndefined use_of_undefined() const;
  /// What the elements of an output are made of, at the end of the run; nothing where no values are traced.
  std::optional<ProvenanceTrace> provenance(Address output, Element element, std::uint64_t count);

 private:
  /// Writes the input's elements into memory as nodes, also where the host has written them once more.
  void claim_input();
  /// Of the launch that has ended, which began with so many nodes.
  LaunchTrace trace_of_launch(NodeId known) const;

  Device& device_;
  Origins origins_;
  struct Input {
    Address at = 0;
    Element element{};
    std::uint64_t count = 0;
  };
  Input input_;                                ///< while its values are traced
  std::unique_ptr<JobProvenance> provenance_;  ///< null where values are not traced
};

}  // namespace foldproof::emulated
