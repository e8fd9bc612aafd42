// What the launches of a source say about sizes, by their calls.
#include <algorithm>
#include <map>

#include "contracts/guess.h"
#include "contracts/guessing/launch_pairs.h"

namespace foldproof {
namespace {

/// Nothing if something is unknown, or if the launch is reached too seldom.
template <typename Number>
std::vector<Pair> pairs_of_many(const SourceLaunch& launch, std::size_t parameter, const Number& number_of) {
  constexpr std::size_t fewest = 8;
  return launch.calls.size() < fewest ? std::vector<Pair>{} : pairs(launch, parameter, number_of);
}

bool has_one_argument(const std::vector<Pair>& pairs) {
  return std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.first == pairs.front().first; });
}

std::optional<std::int64_t> blocks_along_x(const HostCall& call) { return call.grid[0]; }

/// Of the only block.
std::optional<std::int64_t> threads_along_x(const HostCall& call) {
  const bool is_flat = call.grid == HostExtents{1, 1, 1} && call.block == HostExtents{call.block[0], 1, 1};
  return is_flat ? call.block[0] : std::nullopt;
}

}  // namespace

std::optional<LaunchedSize> launched_size(const SourceLaunch& launch, std::size_t axis, std::size_t parameter,
                                          std::int64_t value) {
  constexpr std::int64_t part_beyond = 8;
  const std::vector<Pair> calls =
      pairs_of_many(launch, parameter, [&](const HostCall& call) { return call.grid.at(axis); });
  if (calls.empty()) return std::nullopt;
  const auto differs = [&](const Pair& pair) { return pair.second != calls.front().second; };
  const bool has_constant_grid = std::ranges::none_of(calls, differs), is_constant = has_one_argument(calls);
  if (has_constant_grid != is_constant) return std::nullopt;
  if (is_constant) return LaunchedSize{calls.front().second, calls.front().first, true};
  std::map<std::int64_t, std::int64_t> blocks;
  for (const auto& [argument, number] : calls)
    if (blocks.try_emplace(argument, number).first->second != number) return std::nullopt;
  const auto next = blocks.lower_bound(value);
  if (next == blocks.end() || next->first > value + value / part_beyond) return std::nullopt;
  return LaunchedSize{next->second, next->first, false};
}

bool passes_multiples(const SourceLaunch& launch, std::size_t parameter, std::int64_t divisor) {
  const std::vector<Pair> calls =
      pairs_of_many(launch, parameter, [](const HostCall&) { return std::optional(0); });
  return std::ranges::any_of(calls, [](const Pair& pair) { return pair.first > 0; }) &&
         std::ranges::all_of(calls, [&](const Pair& pair) { return pair.first % divisor == 0; });
}

bool covers_only_multiples(const SourceLaunch& launch, std::size_t parameter, std::int64_t divisor) {
  constexpr std::int64_t most = 1 << 14;
  const std::vector<Pair> calls = pairs_of_many(launch, parameter, blocks_along_x);
  if (calls.empty()) return false;
  for (std::int64_t size = divisor; size < most; size += divisor) {
    const auto is_rounded_down = [&](const Pair& pair) { return pair.second == pair.first / size; };
    const auto is_other = [&](const Pair& pair) { return pair.first % size != 0; };
    if (std::ranges::all_of(calls, is_rounded_down)) return std::ranges::any_of(calls, is_other);
  }
  return false;
}

std::int64_t elements_per_launched_thread(const SourceLaunch& launch, std::size_t parameter) {
  const std::vector<Pair> calls = pairs_of_many(launch, parameter, threads_along_x);
  if (calls.empty()) return 0;
  const auto& [most, threads] = *std::ranges::max_element(calls);
  const std::int64_t each = most / threads;
  if (each < 1 || (has_one_argument(calls) && most % each != 0)) return 0;
  const auto is_part = [&](const Pair& pair) { return pair.second == pair.first / each; };
  return std::ranges::all_of(calls, is_part) ? each : 0;
}

}  // namespace foldproof
