#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "devices/device.h"

namespace foldproof {
namespace {

constexpr std::string_view names[] = {"converging", "lanes-forward", "lanes-backward", "warps-backward",
                                      "random"};
constexpr std::string_view random_prefix = "random:";

}  // namespace

std::string to_string(const Schedule& schedule) {
  if (schedule.order == Schedule::Order::random) return fmt::format("{}{}", random_prefix, schedule.seed);
  return std::string(names[static_cast<std::size_t>(schedule.order)]);
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
      fmt::format("there is no schedule \"{}\"; choose converging, lanes-forward, lanes-backward, "
                  "warps-backward or random:SEED",
                  text));
}

}  // namespace foldproof
