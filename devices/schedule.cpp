#include "devices/schedule.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "base/error.h"

namespace foldproof {
namespace {

constexpr std::string_view names[] = {"converging", "lanes-forward", "lanes-backward", "warps-backward",
                                      "random"};
constexpr std::string_view random_prefix = "random:";
constexpr std::string_view no_load = "none", limit_prefix = "occupancy-limit:", busy_kernel = "busy-kernel";

CoRunningLoad load_for(const Schedule& schedule) {
  switch (schedule.order) {
    case Schedule::Order::converging: return {0, false};
    case Schedule::Order::lanes_forward: return {tightest_occupancy_limit, false};
    case Schedule::Order::lanes_backward: return {0, true};
    case Schedule::Order::warps_backward: return {tightest_occupancy_limit, true};
    case Schedule::Order::random:
      return {static_cast<std::uint8_t>(schedule.seed % 8), schedule.seed / 8 % 2 != 0};
  }
  return {};
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  if (schedule.order == Schedule::Order::random) return fmt::format("{}{}", random_prefix, schedule.seed);
  return std::string(names[static_cast<std::size_t>(schedule.order)]);
}

std::string to_string(const CoRunningLoad& load) {
  std::string text;
  if (load.occupancy_limit != 0) text = fmt::format("{}{}", limit_prefix, load.occupancy_limit);
  if (load.busy_kernel) text += fmt::format("{}{}", text.empty() ? "" : "+", busy_kernel);
  return text.empty() ? std::string(no_load) : text;
}

std::string to_string(const LaunchOrder& order) {
  return std::visit([](const auto& one) { return to_string(one); }, order);
}

std::string_view key_of(const LaunchOrder& order) {
  return std::holds_alternative<Schedule>(order) ? "schedule" : "co_running_load";
}

Schedule schedule_named(std::string_view text) {
  if (text.starts_with(random_prefix)) {
    const std::string_view digits = text.substr(random_prefix.size());
    Schedule schedule{Schedule::Order::random, 0};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), schedule.seed);
    if (error == std::errc{} && end == digits.data() + digits.size()) return schedule;
  }
  for (std::size_t i = 0; i + 1 < std::size(names); ++i)
    if (names[i] == text) return {static_cast<Schedule::Order>(i), 0};
  throw InputError(
      fmt::format("unknown schedule \"{}\"; choose converging, lanes-forward, lanes-backward, warps-backward "
                  "or random:SEED",
                  text));
}

CoRunningLoad co_running_load_named(std::string_view text) {
  for (std::uint8_t limit = 0; limit <= tightest_occupancy_limit; ++limit)
    for (const bool busy : {false, true})
      if (const CoRunningLoad load{limit, busy}; to_string(load) == text) return load;
  throw InputError(
      fmt::format("unknown co-running load \"{}\"; choose none, occupancy-limit:N with N from 1 to {}, "
                  "busy-kernel, or both joined by +",
                  text, tightest_occupancy_limit));
}

LaunchOrder usual(const LaunchOrder& order) {
  return std::visit([]<typename One>(const One&) -> LaunchOrder { return One{}; }, order);
}

LaunchOrder adapted(const LaunchOrder& order, bool obeys_schedules) {
  if (std::holds_alternative<Schedule>(order) == obeys_schedules) return order;
  if (obeys_schedules) return Schedule{};
  return load_for(std::get<Schedule>(order));
}

}  // namespace foldproof
