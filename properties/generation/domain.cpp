#include "properties/generation/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "contracts/sizes.h"
#include "properties/case.h"

namespace foldproof {
namespace {

constexpr std::int64_t most_blocks = 4096;
constexpr std::int64_t most_segments = 4096;  // each may occupy a warp or a block
constexpr std::int64_t largest_other = 1 << 16;

}  // namespace

Bounds Domain::claimed(const std::pair<std::string, Range>& variable, const Variables& chosen) const {
  const std::int64_t low = variable.second.low.evaluate(chosen);
  const std::int64_t high = std::max(low, variable.second.high.evaluate(chosen));
  if (std::int64_t width = 0; __builtin_sub_overflow(high, low, &width))
    throw InputError(
        fmt::format("the range {} .. {} of \"{}\" has more than 2^63 values", low, high, variable.first),
        variable.second.low.where());
  return {low, high};
}

Bounds Domain::bounds(const std::pair<std::string, Range>& variable, const Variables& chosen) const {
  const Bounds range = claimed(variable, chosen);
  const std::string& name = variable.first;
  std::int64_t cap = largest_other;
  if (name == "count" || name == "rows" || name == "columns") cap = largest_count_;
  if (name == "block") cap = most_threads_of_a_block;
  if (name == "grid") cap = most_blocks;
  if (name == "segments") cap = most_segments;
  if (name == "offset") cap = largest_offset;
  if ((name == "count" || name == "offset") && range.low > cap)
    throw InputError(fmt::format("the contract claims {0}s of at least {1}, but the largest {0} tried is {2}",
                                 name, range.low, cap),
                     variable.second.low.where());
  const std::int64_t high = std::max(range.low, std::min(range.high, cap));
  const Bounds tried = tried_of(name, {range.low, high}, chosen);
  return {tried.low, name == "count" ? tried.high : highest_that_fits(name, tried, chosen)};
}

Bounds Domain::tried_of(const std::string& name, Bounds range, const Variables& chosen) const {
  const auto found = instance_.tried.find(name);
  if (found == instance_.tried.end()) return range;
  const std::int64_t low = found->second.low.evaluate(chosen), high = found->second.high.evaluate(chosen);
  if (low > range.high || high < range.low)
    throw InputError(fmt::format("the range to try for \"{}\" is {} .. {}, which does not overlap {} .. {}, "
                                 "the range that can be run; make the ranges overlap",
                                 name, low, high, range.low, range.high),
                     found->second.low.where());
  return {range.clamp(low), std::max(range.clamp(low), range.clamp(high))};
}

std::int64_t Domain::highest_that_fits(const std::string& name, Bounds range, Variables chosen) const {
  const auto fits = [&](std::int64_t value) {
    chosen[name] = value;
    return least_count(chosen) <= largest_count_;
  };
  if (fits(range.high)) return range.high;
  if (!fits(range.low)) return range.low;  // as small as possible for the message
  while (range.high - range.low > 1) {
    const std::int64_t middle = range.low + (range.high - range.low) / 2;
    (fits(middle) ? range.low : range.high) = middle;
  }
  return range.low;
}

std::int64_t Domain::least_count(Variables chosen) const {
  for (const auto& [name, range] : instance_.domain) {
    if (name == "count") return range.low.evaluate(chosen);
    if (chosen.contains(name)) continue;
    const std::int64_t low = range.low.evaluate(chosen);
    chosen[name] = low == 0 && range.high.evaluate(chosen) > 0 ? 1 : low;
  }
  return 0;
}

Variables Domain::nearest(const Variables& wanted) const {
  Variables chosen;
  for (const auto& variable : instance_.domain) {
    const auto found = wanted.find(variable.first);
    const Bounds range = bounds(variable, chosen);
    chosen[variable.first] = found == wanted.end() ? range.low : range.clamp(found->second);
  }
  return chosen;
}

Case Domain::completed(Case c) const {
  constexpr std::int64_t most_values = 64;  // of a variable, from its low end
  if (range_of(instance_, "offset") != nullptr)
    c.variables.try_emplace("offset", static_cast<std::int64_t>(c.offset));
  const auto is_missing = [&](const auto& variable) { return !c.variables.contains(variable.first); };
  const auto is_known = [&](const auto& one) { return range_of(instance_, one.first) != nullptr; };
  if (std::ranges::none_of(instance_.domain, is_missing) || !std::ranges::all_of(c.variables, is_known))
    return c;
  Variables wanted = c.variables;
  for (const auto& variable : instance_.domain) {
    if (!is_missing(variable)) continue;
    const Bounds range = bounds(variable, nearest(wanted));
    std::vector<std::int64_t> fitting;
    for (std::int64_t value = range.low; value <= range.high && value - range.low < most_values; ++value) {
      wanted[variable.first] = value;
      const Variables admitted = nearest(wanted);
      const auto is_kept = [&](const auto& one) { return admitted.at(one.first) == one.second; };
      if (std::ranges::all_of(c.variables, is_kept)) fitting.push_back(value);
    }
    if (fitting.size() != 1) return c;
    wanted[variable.first] = fitting.front();
  }
  c.variables = wanted;
  return c;
}

Bounds Domain::reach(const std::string& variable) const {
  Variables greatest;
  for (const auto& [name, range] : instance_.domain)
    greatest[name] = std::numeric_limits<std::int64_t>::max();
  return {nearest({}).at(variable), nearest(greatest).at(variable)};
}

std::int64_t Domain::claimed_count() const { return greatest_claimed(instance_, "count"); }

void Domain::check(const Variables& values) const {
  for (const auto& [name, value] : values)
    if (range_of(instance_, name) == nullptr)
      throw InputError(fmt::format("the case sets \"{}\", which is not in the contract's domain", name));
  for (const auto& variable : instance_.domain) {
    const auto found = values.find(variable.first);
    if (found == values.end())
      throw InputError(
          fmt::format("the case lacks \"{}\", a variable of the contract's domain", variable.first));
    const Bounds range = claimed(variable, values);
    if (range.clamp(found->second) != found->second)
      throw InputError(fmt::format("the case has {} = {}, outside the contract's {} .. {}", variable.first,
                                   found->second, range.low, range.high));
    if (variable.first == "count" && found->second > largest_count_)
      throw InputError(
          fmt::format("the case has {} elements; the maximum here is {}", found->second, largest_count_));
  }
}

}  // namespace foldproof
