// The execution order within a job's launches: a schedule on the emulated device; a GPU has its own order,
// which a co-running load perturbs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace foldproof {

/// Which runnable lanes, warps and blocks run first. The same schedule gives the same execution on every
/// host.
struct Schedule {
  enum class Order : std::uint8_t {
    converging,
    lanes_forward,   ///< one lane at a time, the first one first
    lanes_backward,  ///< one lane at a time; the last block, warp and lane first
    warps_backward,  ///< the last block and warp first
    random,
  };
  Order order = Order::converging;
  std::uint64_t seed = 0;  ///< used only by `random`
  bool operator==(const Schedule&) const = default;
};

/// What occupies a GPU in addition to the blocks of a launch.
struct CoRunningLoad {
  /// Eighths of the shared memory that a launch leaves unused. They are added to the dynamic shared memory of
  /// its blocks, so that fewer blocks are resident: at 8, one per multiprocessor. 0: no limit.
  std::uint8_t occupancy_limit = 0;
  bool busy_kernel = false;  ///< another kernel keeps half of the multiprocessors busy
  bool operator==(const CoRunningLoad&) const = default;
};

inline constexpr std::uint8_t tightest_occupancy_limit = 8;

/// Each device uses one of the two and ignores the other.
using LaunchOrder = std::variant<Schedule, CoRunningLoad>;

/// "converging", "lanes-forward", "lanes-backward", "warps-backward" or "random:SEED".
std::string to_string(const Schedule& schedule);
/// "none", "occupancy-limit:N", "busy-kernel", or both joined by +.
std::string to_string(const CoRunningLoad& load);
std::string to_string(const LaunchOrder& order);
/// "schedule" or "co_running_load": the key in cases.
std::string_view key_of(const LaunchOrder& order);

/// Parses such a name. Both throw InputError that lists the names if there is no match.
Schedule schedule_named(std::string_view text);
CoRunningLoad co_running_load_named(std::string_view text);

/// The default order of the same kind: converging, or no load.
LaunchOrder usual(const LaunchOrder& order);
/// The equivalent order for a case that moves to another device. A GPU has a load for every schedule; the
/// emulated device uses the default schedule for every load.
LaunchOrder adapted(const LaunchOrder& order, bool obeys_schedules);

}  // namespace foldproof
