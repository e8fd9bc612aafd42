#include "properties/representative.h"

#include <algorithm>
#include <cstdlib>

#include "contracts/sizes.h"
#include "properties/generation/domain.h"

namespace foldproof {
namespace {

constexpr std::int64_t elements_a_thread = 16, blocks_a_cluster = 8;
/// The relative distance of a variable from its wanted value; 0 if the domain does not have the variable.
double distance(const Variables& variables, const std::string& name, std::int64_t wanted) {
  const std::int64_t value = value_of(variables, name).value_or(wanted);
  return std::abs(static_cast<double>(value - wanted)) / static_cast<double>(wanted);
}

/// Sets one variable, such as k for block = 2^k or count = 4k, to the value that brings block and count
/// nearest to those wanted. Tries all small values and some of the large ones.
void settle(const Domain& domain, const std::string& name, std::int64_t count, std::int64_t threads,
            Variables& wanted) {
  constexpr std::int64_t steps = 256;
  const auto badness = [&](const Variables& tried) {
    const Variables made = domain.nearest(tried);
    return distance(made, "block", threads) + distance(made, "count", count);
  };
  const Bounds range = domain.reach(name);
  Variables best = wanted;
  double least = badness(wanted);
  for (std::int64_t value = range.low; value <= range.high; value += 1 + (value - range.low) / steps) {
    Variables tried = wanted;
    tried[name] = value;
    if (const double bad = badness(tried); bad < least) best = tried, least = bad;
  }
  wanted = best;
}

}  // namespace

Case representative_case(const Instance& instance, std::uint64_t largest_count, std::int64_t elements,
                         std::int64_t threads) {
  const Domain domain(instance, largest_count);
  const auto count = std::min(elements, static_cast<std::int64_t>(largest_count));
  Variables wanted{{"count", elements},
                   {"block", threads},
                   {"grid", elements / threads / elements_a_thread},
                   {"cluster", blocks_a_cluster}};
  const auto settle_others = [&](const Variables& given) {
    for (const auto& [name, range] : instance.domain)
      if (!given.contains(name)) settle(domain, name, count, threads, wanted);
  };
  const Variables given = wanted;
  settle_others(given);
  // Of several factors of the count, each is settled while the next ones have their smallest value: perhaps
  // 0.
  if (value_of(domain.nearest(wanted), "count") == 0) {
    for (const auto& [name, range] : instance.domain)
      if (name != "offset") wanted.try_emplace(name, 1);
    settle_others(given);
  }
  Case c;
  c.input.distribution.name = "uniform";
  c.input.seed = 1;
  c.variables = domain.nearest(wanted);
  return c;
}

}  // namespace foldproof
