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
#include "devices/order.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

class Memory;
struct LaunchOwners;
struct Program;

using ModuleId = std::uint32_t;

/// Interprets PTX. Several launches share its memory, as those of one CUDA context do.
class Device {
 public:
  /// The observers watch every launch. With `tracks_definedness` it knows which bits are undefined.
  explicit Device(Observers observers = {}, bool tracks_definedness = false);
  ~Device();

  /// Throws InputError for text that is not PTX, Unsupported for an instruction that the device lacks and
  /// that every execution reaches.
  ModuleId load(const Image& image);
  std::vector<EntryInfo> entries(ModuleId module) const;
  /// Gives the module's variables their initial values again.
  void reset(ModuleId module);

  /// Memory that was never written. `bytes` may be 0; the address is then valid for no access. Findings call
  /// the memory by `name`.
  Address allocate(std::uint64_t bytes, std::string_view name);
  void free(Address address);
  void write(Address to, std::span<const std::byte> bytes);
  void read(Address from, std::span<std::byte> bytes) const;

  /// Runs one kernel to its end. A kernel that misbehaves gives findings; a launch beyond the device's
  /// limits or an entry that does not exist throws InputError; a missing instruction throws Unsupported.
  LaunchReport launch(ModuleId module, std::string_view entry, const LaunchShape& shape,
                      std::span<const ArgumentBytes> arguments, const Schedule& schedule,
                      const Limits& limits);

 private:
  friend class JobRun;

  /// `owners`: of the job that the launch belongs to.
  LaunchReport launch(ModuleId module, std::string_view entry, const LaunchShape& shape,
                      std::span<const ArgumentBytes> arguments, const Schedule& schedule,
                      const Limits& limits, const LaunchOwners& owners);
  const Program& program(ModuleId module) const;
  /// The host's bytes of a stretch of memory. Throws InputError unless it lies in one live allocation.
  std::byte* host(Address address, std::uint64_t bytes) const;

  Observers observers_;
  bool tracks_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace foldproof::emulated
