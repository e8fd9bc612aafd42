// The emulated device: modules, memory, copies and launches on this CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "devices/image.h"
#include "devices/launch.h"
#include "devices/schedule.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

struct Cluster;
class Memory;
struct LaunchOwners;
struct Program;

using ModuleId = std::uint32_t;

/// Interprets PTX. Launches share its memory, like those of one CUDA context.
class Device {
 public:
  /// The observers observe every launch. With `tracks_definedness`, the device keeps shadow bits of undefined
  /// values.
  explicit Device(Observers observers = {}, bool tracks_definedness = false);
  ~Device();
  bool tracks_definedness() const { return tracks_; }

  /// Throws InputError for text that is not PTX, Unsupported for an unimplemented instruction that every
  /// execution reaches.
  ModuleId load(const Image& image);
  std::vector<EntryInfo> entries(ModuleId module) const;
  /// Restores the initial values of the module's variables.
  void reset(ModuleId module);

  /// Allocates memory whose contents are undefined. `bytes` may be 0; no access to the address is valid then.
  /// Findings refer to the memory as `name`.
  Address allocate(std::uint64_t bytes, std::string_view name);
  void free(Address address);
  void write(Address to, std::span<const std::byte> bytes);
  void read(Address from, std::span<std::byte> bytes) const;

  /// Runs one kernel to completion. Misbehaviour of the kernel is reported as findings; a launch beyond the
  /// device's limits or a nonexistent entry throws InputError; an unimplemented instruction throws
  /// Unsupported. `owners`: of the job that contains the launch, if any.
  LaunchReport launch(ModuleId module, std::string_view entry, const LaunchShape& shape,
                      std::span<const ArgumentBytes> arguments, const Schedule& schedule,
                      const Limits& limits, const LaunchOwners* owners = nullptr);

 private:
  friend class JobRun;

  const Program& program(ModuleId module) const;
  /// The host memory that backs a range. Throws InputError unless the range is in one live allocation.
  std::byte* host(Address address, std::uint64_t bytes) const;

  Observers observers_;
  bool tracks_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Cluster>> spare_;  ///< reused by the next launch
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace foldproof::emulated
