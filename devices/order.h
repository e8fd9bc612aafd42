// What decides the order of a job's launches from inside: a schedule on the emulated device; a GPU has an
// order of its own, which a co-running load disturbs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace foldproof {

/// Which runnable lanes, warps and blocks go first. The same schedule gives the same run on every host.
struct Schedule {
  enum class Order : std::uint8_t { converging, lanes_forward, lanes_backward, warps_backward, random };
  Order order = Order::converging;
  std::uint64_t seed = 0;  ///< read by `random` only
  bool operator==(const Schedule&) const = default;
};

/// What occupies a GPU beside the blocks of a launch.
struct CoRunningLoad {
  /// Eighths of the shared memory that a launch leaves unused. They are added to what its blocks ask for, so
  /// that fewer of them are resident together: at 8, one per multiprocessor. 0: no limit.
  std::uint8_t occupancy_limit = 0;
  bool busy_kernel = false;  ///< another kernel keeps half of the multiprocessors busy
  bool operator==(const CoRunningLoad&) const = default;
};

inline constexpr std::uint8_t tightest_occupancy_limit = 8;

/// Each device obeys one of the two, and ignores the other.
using LaunchOrder = std::variant<Schedule, CoRunningLoad>;

/// "converging", "lanes-forward", "lanes-backward", "warps-backward" or "random:SEED".
std::string to_string(const Schedule& schedule);
/// "none", "occupancy-limit:EIGHTHS", "busy-kernel", or both with + between.
std::string to_string(const CoRunningLoad& load);
std::string to_string(const LaunchOrder& order);
/// "schedule" or "co_running_load": what cases call it.
std::string_view key_of(const LaunchOrder& order);

/// The one of that name. Both throw InputError, listing the names, when there is none.
Schedule schedule_named(std::string_view text);
CoRunningLoad co_running_load_named(std::string_view text);

/// The order of the same kind that a launch has when nothing else is asked for: converging, or no load.
LaunchOrder usual(const LaunchOrder& order);
/// Of a case that moves to another device, what stands for its order there. A GPU has a load for every
/// schedule; the emulated device has the usual schedule for every load.
LaunchOrder adapted(const LaunchOrder& order, bool obeys_schedules);

}  // namespace foldproof
