#include "properties/search/guided_search.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/execution/job.h"
#include "properties/execution/reduction.h"
#include "properties/generation/draws.h"
#include "properties/random.h"

namespace foldproof {
namespace {

constexpr std::size_t most_peaks = 4;
/// Steps without success after which the search continues from another start.
constexpr std::uint64_t patience = 12;

/// The context of a step.
struct Surroundings {
  const Instance& instance;
  const Domain& domain;
  const CaseGenerator& generator;
  Chooser& choose;
};

/// Planted elements belong to the old elements, so they are dropped.
void reseed(Case& c, const Surroundings& here) {
  c.input.seed = here.choose.bits();
  c.input.planted.clear();
}

void change_distribution(Case& c, const Surroundings& here) {
  if (here.generator.distributions().empty()) return;
  c.input.planted.clear();
  c.input.distribution = {here.choose.one_of(here.generator.distributions())};
  if (here.generator.stays_as_made(c.input.distribution.name)) c.input.transforms.clear();
}

/// From barely ill-conditioned to more than all digits lost.
void change_condition(Case& c, const Surroundings& here) {
  const Element element = here.instance.reduction->input;
  if (!is_float(element)) return;
  const int most = 2 * float_format(element).precision;
  c.input.planted.clear();
  c.input.distribution = {"ill-conditioned", here.choose.between(1, most)};
}

void add_transform(Case& c, const Surroundings& here) {
  constexpr std::size_t most = 3;
  if (here.generator.transforms().empty() || c.input.transforms.size() >= most) return;
  const std::string added = here.choose.one_of(here.generator.transforms());
  c.input.transforms.push_back(with_argument(here.choose, added, *here.instance.reduction));
}

void drop_transform(Case& c, const Surroundings& here) {
  if (c.input.transforms.empty()) return;
  const auto last = static_cast<std::int64_t>(c.input.transforms.size()) - 1;
  c.input.transforms.erase(c.input.transforms.begin() + here.choose.between(0, last));
}

void change_transform(Case& c, const Surroundings& here) {
  drop_transform(c, here);
  add_transform(c, here);
}

void change_count(Case& c, const Surroundings& here) {
  const auto count = c.variables.find("count");
  if (count == c.variables.end()) return;
  const std::int64_t n = count->second;
  count->second = here.choose.one_of<std::int64_t>(
      {n - 1, n + 1, n - 2, n + 2, n - 32, n + 32, n / 2, 2 * n, n - n / 4, n + n / 4});
}

/// The fewer additions, the tighter the bound.
void take_few(Case& c, const Surroundings& here) {
  constexpr std::int64_t few = 8;
  const auto count = c.variables.find("count");
  if (count == c.variables.end()) return;
  count->second = here.choose.between(2, few);
  reseed(c, here);
}

/// Changes the digits of one element, which leaves most roundings unchanged.
void nudge(Case& c, const Surroundings& here) {
  constexpr std::size_t most_planted = 16;
  const Element element = here.instance.reduction->input;
  const std::vector<std::byte> input = input_of(here.instance, c);
  const auto size = static_cast<std::int64_t>(input.size() / size_of(element));
  if (size == 0 || !is_float(element)) return;
  auto index = static_cast<std::uint64_t>(here.choose.between(0, size - 1));
  auto& planted = c.input.planted;
  if (planted.size() >= most_planted) index = here.choose.one_of(planted).index;
  const std::uint64_t digits = (std::uint64_t{1} << (float_format(element).precision - 1)) - 1;
  const std::uint64_t bits = load(element, input, index) ^ (here.choose.bits() * 0x9e3779b97f4a7c15 & digits);
  std::erase_if(planted, [&](const Planted& p) { return p.index == index; });
  if (decode(element, bits).is_finite()) planted.push_back({index, planted_text(element, bits)});
}

void change_block(Case& c, const Surroundings& here) {
  if (range_of(here.instance, "block") != nullptr)
    c.variables["block"] = block_in(here.choose, here.domain.reach("block"));
}

void change_order(Case& c, const Surroundings& here) {
  if (!here.instance.claims.deterministic && !is_host_function(here.instance))
    c.order = here.generator.order_for({Schedule::Order::random, here.choose.bits()});
}

/// The more often a step is listed, the more often it is tried.
constexpr void (*steps[])(Case& c, const Surroundings& here) = {
    reseed,   reseed,   reseed,         change_distribution, change_condition, add_transform, take_few,
    take_few, take_few, drop_transform, change_transform,    change_count,     change_count,  nudge,
    nudge,    nudge,    change_block,   change_order};

/// Returns the case to the domain and drops what no longer fits the count or the values that callers pass.
void settle(Case& c, const Domain& domain, const Instance& instance) {
  c.variables = domain.nearest(c.variables);
  const auto values = values_of(instance, c.variables);
  std::erase_if(c.input.planted,
                [&](const Planted& p) { return !is_permitted(p, instance.reduction->input, values); });
  const auto count = c.variables.find("count");
  if (count == c.variables.end()) return;
  std::erase_if(c.input.planted,
                [&](const Planted& p) { return p.index >= static_cast<std::uint64_t>(count->second); });
  if (!suits_slow_schedules(c.variables)) c.order = usual(c.order);
}

}  // namespace

void GuidedSearch::start_from(const Case& c, std::optional<double> ratio) {
  if (!ratio || !(*ratio > 0)) return;
  beyond_bound_ |= *ratio > 1;
  const auto place = std::ranges::upper_bound(peaks_, *ratio, std::greater<>{}, &Peak::ratio);
  peaks_.insert(place, {c, *ratio});
  if (peaks_.size() > most_peaks) peaks_.pop_back();
}

std::optional<Case> GuidedSearch::next(std::uint64_t index) const {
  if (peaks_.empty() || beyond_bound_) return std::nullopt;
  return neighbour_of(peaks_[at_].c, instance_, domain_, generator_, mixed(seed_ ^ mixed(~index)));
}

void GuidedSearch::take(const Case& c, std::optional<double> ratio) {
  beyond_bound_ |= ratio && *ratio > 1;
  Peak& peak = peaks_[at_];
  if (ratio && *ratio >= peak.ratio) {
    if (*ratio > peak.ratio) in_vain_ = 0;
    peak = {c, *ratio};
    return;
  }
  if (++in_vain_ < patience) return;
  in_vain_ = 0;
  at_ = (at_ + 1) % peaks_.size();
}

Case neighbour_of(const Case& c, const Instance& instance, const Domain& domain,
                  const CaseGenerator& generator, std::uint64_t draw) {
  Chooser choose(draw);
  const Surroundings here{instance, domain, generator, choose};
  Case changed = c;
  changed.calls = 1;
  changed.relation.clear();
  const auto last = static_cast<std::int64_t>(std::size(steps)) - 1;
  for (std::int64_t left = choose.between(1, 2); left > 0; --left) {
    steps[choose.between(0, last)](changed, here);
    settle(changed, domain, instance);
  }
  return changed;
}

}  // namespace foldproof
