#include "properties/generation/coverage.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldproof {
namespace {

/// Classes of counts that a reduction may treat apart.
struct CountRow {
  std::string_view name;
  bool (*holds)(std::int64_t count);
};

constexpr CountRow count_rows[] = {
    {"no element", [](std::int64_t n) { return n == 0; }},
    {"one element", [](std::int64_t n) { return n == 1; }},
    {"a partial warp", [](std::int64_t n) { return n > 1 && n < 32; }},
    {"whole warps", [](std::int64_t n) { return n > 0 && n % 32 == 0; }},
    {"one beyond whole warps", [](std::int64_t n) { return n > 32 && n % 32 == 1; }},
    {"one short of whole warps", [](std::int64_t n) { return n % 32 == 31; }},
    {"more than 1024 elements", [](std::int64_t n) { return n > 1024; }},
};

/// Whether some count of the domain is of the class: its ends and all small ones are tried.
bool admits(const CountRow& row, Bounds range) {
  if (row.holds(range.low) || row.holds(range.high)) return true;
  for (std::int64_t n = range.low; n <= std::min(range.high, range.low + 64); ++n)
    if (row.holds(n)) return true;
  return false;
}

}  // namespace

void Coverage::add(const Case& c) {
  distributions_.insert(c.recipe.distribution);
  orders_.insert(c.schedule.order);
  if (const auto count = c.variables.find("count"); count != c.variables.end()) counts_.insert(count->second);
  misaligned_ |= c.offset != 0;
  repeated_ |= c.calls > 1;
}

std::optional<std::int64_t> Coverage::untried_above(const Domain& domain) const {
  if (counts_.empty() || *counts_.rbegin() >= domain.claimed_count()) return std::nullopt;
  return *counts_.rbegin();
}

std::string Coverage::missed(const Domain& domain, const std::vector<std::string>& distributions) const {
  std::vector<std::string> missing;
  for (const std::string& distribution : distributions)
    if (!distributions_.contains(distribution)) missing.push_back("inputs \"" + distribution + "\"");
  for (const auto& variable : domain.variables()) {
    // Which counts other variables make, there is no telling.
    if (variable.first != "count" || variable.second.low.text() == variable.second.high.text()) continue;
    const Bounds range = domain.reach(variable.first);
    for (const CountRow& row : count_rows)
      if (admits(row, range) && std::ranges::none_of(counts_, row.holds)) missing.emplace_back(row.name);
  }
  for (int order = 0; order <= static_cast<int>(Schedule::Order::random); ++order)
    if (const Schedule schedule{static_cast<Schedule::Order>(order), 0}; !orders_.contains(schedule.order))
      missing.push_back("the schedule " + to_string(schedule));
  const bool aligned = std::ranges::any_of(domain.variables(), [&](const auto& variable) {
    return variable.first == "offset" && domain.reach("offset").high == 0;
  });
  if (!misaligned_ && !aligned && !distributions.empty()) missing.emplace_back("misaligned inputs");
  if (!repeated_) missing.emplace_back("repeated calls");
  return missing.empty() ? "" : fmt::format("not sampled: {}", fmt::join(missing, ", "));
}

}  // namespace foldproof
