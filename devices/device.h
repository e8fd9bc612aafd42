// A device that runs PTX: modules, memory, copies, launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "devices/image.h"
#include "devices/undefined.h"
#include "oracles/expressions.h"
#include "sanitizer/finding.h"
#include "sanitizer/observer.h"

namespace foldproof {

/// A device address: an opaque number, never a host pointer.
using Address = std::uint64_t;
using ModuleId = std::uint32_t;

/// Which runnable lanes, warps and blocks go first. The same schedule gives the same run on every host.
struct Schedule {
  enum class Order : std::uint8_t { converging, lanes_forward, lanes_backward, warps_backward, random };
  Order order = Order::converging;
  std::uint64_t seed = 0;  ///< read by `random` only
  bool operator==(const Schedule&) const = default;
};

/// "converging", "lanes-forward", "lanes-backward", "warps-backward" or "random:SEED".
std::string to_string(const Schedule& schedule);
/// The schedule of that name. Throws InputError, listing the names, when there is none.
Schedule schedule_named(std::string_view text);

/// The bytes of one kernel argument, laid out as the kernel's parameter.
using ArgumentBytes = std::vector<std::byte>;

/// Shared memory of a block at most, in bytes: that of compute capability 9.0.
inline constexpr std::uint32_t largest_shared_memory = 227 << 10;

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster{0, 0, 0};           ///< 0 where the launch asks for no cluster
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory a block
  bool cooperative = false;
};

/// What a launch may spend before it ends as a `timeout` finding.
struct Limits {
  std::uint64_t warp_instructions = 2'000'000'000;
};

/// What one launch did.
struct LaunchReport {
  std::vector<Finding> findings;        ///< in the order in which they were made
  std::uint64_t warp_instructions = 0;  ///< instructions executed, counted once a warp and split
  std::string printed;                  ///< what the kernel printed
};

/// What a launch made of the input, and left behind.
struct FollowedLaunch {
  NodeId end = 0;  ///< the nodes below it were made by then
  std::vector<NodeId>
      kept;  ///< those that it made, or elements elsewhere than they came from, in global memory
};

/// What the elements of an output are made of.
struct Followed {
  Expressions expressions;
  std::vector<NodeId> results;           ///< one an element; 0 where it depends on no input
  std::vector<FollowedLaunch> launches;  ///< of the job, in their order
};

/// Where a module keeps a kernel, and what it expects.
struct EntryInfo {
  std::string name;                            ///< as PTX spells it (mangled)
  std::vector<std::uint32_t> parameter_bytes;  ///< size of each parameter
};

class Device {
 public:
  virtual ~Device() = default;

  /// "emulated", or the GPU's name.
  virtual std::string name() const = 0;
  /// Throws InputError for PTX that is no PTX, Unsupported for an instruction that the device lacks
  /// and that no execution could avoid.
  virtual ModuleId load(const Image& image) = 0;
  virtual std::vector<EntryInfo> entries(ModuleId module) const = 0;

  /// Gives the module's variables the values with which it was loaded.
  virtual void reset(ModuleId module) = 0;

  /// Memory that nobody has written. `bytes` may be 0; the address is then valid for no access. Findings call
  /// the memory by `name`.
  virtual Address allocate(std::uint64_t bytes, std::string_view name) = 0;
  virtual void free(Address address) = 0;
  virtual void write(Address to, std::span<const std::byte> bytes) = 0;
  virtual void read(Address from, std::span<std::byte> bytes) = 0;

  /// Before the launches of a job; `again` where they are those of before, because `wants_replay` asked for
  /// it.
  virtual void observe_job(bool /*again*/) {}
  /// What the job's launches left in a buffer without anybody having determined it. `loose_element`: see
  /// JobBuffer.
  virtual UndefinedOutput undefined_output(Address /*from*/, std::uint64_t /*bytes*/,
                                           std::string_view /*name*/, std::uint32_t /*loose_element*/) const {
    return {};
  }
  /// What holds from now on whatever nobody determined. Unless told, memory holds poison and registers zero:
  /// loops over an unset count end.
  virtual void hold_undefined(const std::optional<Filling>& /*filling*/) {}
  /// Of the job's launches until now.
  virtual UseOfUndefined use_of_undefined() const { return {}; }
  /// Whether those who watch ask for the job's launches once more, in fresh memory.
  virtual bool wants_replay() const { return false; }

  /// From now until the next job begins, values made of these elements are followed.
  virtual void follow(Address /*input*/, Element /*element*/, std::uint64_t /*count*/) {}
  /// What the elements of an output are made of; nothing where nobody follows values.
  virtual std::optional<Followed> followed(Address /*output*/, Element /*element*/, std::uint64_t /*count*/) {
    return std::nullopt;
  }

  /// Runs one kernel to its end. A kernel that misbehaves gives findings; a launch beyond the device's
  /// limits or an entry that does not exist throws InputError; a missing instruction throws Unsupported.
  virtual LaunchReport launch(ModuleId module, std::string_view entry, const LaunchShape& shape,
                              std::span<const ArgumentBytes> arguments, const Schedule& schedule,
                              const Limits& limits) = 0;
};

/// The PTX interpreter on this CPU. The observers watch every launch. With `tracks_definedness` it knows
/// which bits nobody determined, and reports where they decide an address, a branch or an output.
std::unique_ptr<Device> make_emulated_device(Observers observers = {}, bool tracks_definedness = false);

}  // namespace foldproof
