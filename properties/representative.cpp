#include "properties/representative.h"

#include <algorithm>
#include <cstdlib>

#include "properties/generation/domain.h"

namespace foldproof {
namespace {

constexpr std::int64_t elements = 1 << 16, threads = 256, elements_a_thread = 16, blocks_a_cluster = 8;
constexpr std::int64_t most_tried = 1024;

/// How far the block is from the size that is wanted.
std::int64_t distance(const Variables& variables) {
  const auto block = variables.find("block");
  return block == variables.end() ? 0 : std::abs(block->second - threads);
}

/// Sets one variable, say the k of block = 2^k, to the value that brings the block nearest.
void settle(const Domain& domain, const std::string& name, Variables& wanted) {
  const Bounds range = domain.reach(name);
  Variables best = wanted;
  for (std::int64_t value = range.low; value <= std::min(range.high, range.low + most_tried); ++value) {
    Variables tried = wanted;
    tried[name] = value;
    if (distance(domain.nearest(tried)) < distance(domain.nearest(best))) best = tried;
  }
  wanted = best;
}

}  // namespace

Case representative_case(const Instance& instance, std::uint64_t largest_count) {
  const Domain domain(instance, largest_count);
  Variables wanted{{"count", elements},
                   {"block", threads},
                   {"grid", elements / threads / elements_a_thread},
                   {"cluster", blocks_a_cluster}};
  for (const auto& [name, range] : instance.domain)
    if (!wanted.contains(name)) settle(domain, name, wanted);
  Case c;
  c.recipe.distribution = "uniform";
  c.recipe.seed = 1;
  c.variables = domain.nearest(wanted);
  return c;
}

}  // namespace foldproof
