#include "properties/searching/neighbour.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "oracles/number.h"
#include "properties/generation/draws.h"
#include "properties/recipes.h"

namespace foldproof {
namespace {

/// What steps choose from.
struct Surroundings {
  const Instance& instance;
  const Domain& domain;
  const CaseGenerator& generator;
  Chooser& choose;
};

void reseed(Case& c, const Surroundings& here) { c.recipe.seed = here.choose.bits(); }

void change_distribution(Case& c, const Surroundings& here) {
  if (here.generator.distributions().empty()) return;
  c.recipe.distribution = here.choose.one_of(here.generator.distributions());
  if (stays_as_made(c.recipe.distribution)) c.recipe.modifiers.clear();
}

/// From hardly to more than all digits.
void change_condition(Case& c, const Surroundings& here) {
  const Element element = here.instance.reduction->input;
  const int most = is_float(element) ? 2 * float_format(element).precision : 1;
  c.recipe.distribution = "ill-conditioned:" + std::to_string(here.choose.between(1, most));
}

void add_modifier(Case& c, const Surroundings& here) {
  constexpr std::size_t most = 3;
  if (here.generator.modifiers().empty() || c.recipe.modifiers.size() >= most) return;
  const std::string added = here.choose.one_of(here.generator.modifiers());
  c.recipe.modifiers.push_back(with_argument(here.choose, added, *here.instance.reduction));
}

void drop_modifier(Case& c, const Surroundings& here) {
  if (c.recipe.modifiers.empty()) return;
  const auto last = static_cast<std::int64_t>(c.recipe.modifiers.size()) - 1;
  c.recipe.modifiers.erase(c.recipe.modifiers.begin() + here.choose.between(0, last));
}

void change_modifier(Case& c, const Surroundings& here) {
  drop_modifier(c, here);
  add_modifier(c, here);
}

void change_count(Case& c, const Surroundings& here) {
  const auto count = c.variables.find("count");
  if (count == c.variables.end()) return;
  const std::int64_t n = count->second;
  count->second = here.choose.one_of<std::int64_t>(
      {n - 1, n + 1, n - 2, n + 2, n - 32, n + 32, n / 2, 2 * n, n - n / 4, n + n / 4});
}

void change_block(Case& c, const Surroundings& here) {
  const auto& variables = here.domain.variables();
  const auto block = std::ranges::find(variables, "block", &std::pair<std::string, Range>::first);
  if (block != variables.end()) c.variables["block"] = block_in(here.choose, here.domain.reach("block"));
}

void change_schedule(Case& c, const Surroundings& here) {
  if (!here.instance.claims.deterministic) c.schedule = {Schedule::Order::random, here.choose.bits()};
}

/// The more often a step stands here, the more often it is tried.
constexpr void (*steps[])(Case& c, const Surroundings& here) = {
    reseed,        reseed,          reseed,       change_distribution, change_condition, add_modifier,
    drop_modifier, change_modifier, change_count, change_count,        change_block,     change_schedule};

}  // namespace

Case neighbour_of(const Case& c, const Instance& instance, const Domain& domain,
                  const CaseGenerator& generator, std::uint64_t draw) {
  Chooser choose(draw);
  const Surroundings here{instance, domain, generator, choose};
  Case changed = c;
  changed.calls = 1;
  changed.law.clear();
  const auto last = static_cast<std::int64_t>(std::size(steps)) - 1;
  for (std::int64_t left = choose.between(1, 2); left > 0; --left)
    steps[choose.between(0, last)](changed, here);
  changed.variables = domain.nearest(changed.variables);
  const auto count = changed.variables.find("count");
  if (count != changed.variables.end() && count->second > most_elements_of_slow_schedules)
    changed.schedule = {};
  return changed;
}

}  // namespace foldproof
