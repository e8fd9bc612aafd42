#include "properties/generation/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "contracts/sizes.h"
#include "oracles/number.h"
#include "oracles/tally.h"
#include "properties/distributions.h"

namespace foldproof {
namespace {

/// Classes of counts, or of block sizes, that a reduction may treat differently.
struct ValueRow {
  std::string_view name;
  bool (*holds)(std::int64_t value);
};

constexpr ValueRow count_rows[] = {
    {"no element", [](std::int64_t n) { return n == 0; }},
    {"one element", [](std::int64_t n) { return n == 1; }},
    {"a partial warp", [](std::int64_t n) { return n > 1 && n < 32; }},
    {"whole warps", [](std::int64_t n) { return n > 0 && n % 32 == 0; }},
    {"one beyond whole warps", [](std::int64_t n) { return n > 32 && n % 32 == 1; }},
    {"one short of whole warps", [](std::int64_t n) { return n % 32 == 31; }},
    {"more than 1024 elements", [](std::int64_t n) { return n > 1024; }},
};

constexpr ValueRow block_rows[] = {
    {"less than a warp", [](std::int64_t b) { return b < 32; }},
    {"whole warps", [](std::int64_t b) { return b % 32 == 0; }},
    {"a partial last warp", [](std::int64_t b) { return b > 32 && b % 32 != 0; }},
};

/// Values that inputs may contain, and the distribution that provides them if drawn; empty: never reported as
/// missed.
struct SpecialRow {
  std::string_view name;
  bool InputFacts::*holds;
  std::string_view promised_by;
};

constexpr SpecialRow special_rows[] = {
    {"NaN", &InputFacts::nan, "nans"},
    {"inf", &InputFacts::infinity, "infinities"},
    {"-inf", &InputFacts::minus_infinity, "infinities"},
    {"+0", &InputFacts::zero, ""},
    {"-0", &InputFacts::minus_zero, "subnormals"},
    {"subnormal numbers", &InputFacts::subnormal, "subnormals"},
};

/// Whether some value of the range belongs to the class: tests both ends and all small values.
bool admits(const ValueRow& row, Bounds range) {
  if (row.holds(range.low) || row.holds(range.high)) return true;
  for (std::int64_t n = range.low; n <= std::min(range.high, range.low + 64); ++n)
    if (row.holds(n)) return true;
  return false;
}

std::uint64_t cases_of(const ValueRow& row, const std::map<std::int64_t, std::uint64_t>& values) {
  std::uint64_t cases = 0;
  for (const auto& [value, number] : values) cases += row.holds(value) ? number : 0;
  return cases;
}

/// The names of classes without a case, by group: "counts (whole warps), repeated calls".
class MissedClasses {
 public:
  void add(const std::string& group, const std::vector<std::string>& names) {
    if (!names.empty()) parts_.push_back(fmt::format("{} ({})", group, fmt::join(names, ", ")));
  }
  void add(const std::string& single) { parts_.push_back(single); }
  std::string text() const { return fmt::format("{}", fmt::join(parts_, ", ")); }

 private:
  std::vector<std::string> parts_;
};

/// The classes that the variable can reach and never did. A variable that is determined by others is skipped,
/// since its reachable values are unknown.
template <std::size_t rows>
void add_missed(const ValueRow (&table)[rows], const std::string& name, const Domain& domain,
                const std::map<std::int64_t, std::uint64_t>& values, MissedClasses& missed) {
  std::vector<std::string> missing;
  for (const auto& variable : domain.variables()) {
    if (variable.first != name || variable.second.low.text() == variable.second.high.text()) continue;
    const Bounds range = domain.reach(name);
    for (const ValueRow& row : table)
      if (admits(row, range) && cases_of(row, values) == 0) missing.emplace_back(row.name);
  }
  missed.add(name + "s", missing);
}

/// Co-running loads: 1 for an occupancy limit plus 2 for another kernel.
constexpr std::string_view load_names[] = {"none", "occupancy-limit", "busy-kernel",
                                           "occupancy-limit+busy-kernel"};

std::size_t class_of(const CoRunningLoad& load) {
  return (load.occupancy_limit != 0 ? 1 : 0) + (load.busy_kernel ? 2 : 0);
}

std::string decade_name(int decade) {
  return decade == std::numeric_limits<int>::max() ? "infinite" : fmt::format("from 10^{}", decade);
}

template <typename Map>
CoverageGroup group_of(const std::string& name, const Map& counts) {
  CoverageGroup group{name, {}};
  for (const auto& [key, cases] : counts) group.classes.push_back({key, cases});
  return group;
}

template <std::size_t rows>
CoverageGroup group_of(const std::string& name, const ValueRow (&table)[rows],
                       const std::map<std::int64_t, std::uint64_t>& values) {
  CoverageGroup group{name, {}};
  for (const ValueRow& row : table) group.classes.push_back({std::string(row.name), cases_of(row, values)});
  return group;
}

bool has_subnormal(Element element, std::span<const std::byte> input) {
  const FloatFormat& format = float_format(element);
  const std::uint64_t smallest_normal = std::uint64_t{1} << (format.precision - 1);
  for (std::size_t i = 0; i < input.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, input, i));
    if (x.is_finite() && x.significand != 0 && x.significand < smallest_normal) return true;
  }
  return false;
}

/// The largest d up to 308 with 10^d <= x; x >= 1. Uses divisions, which give the same result on every host.
int decade_of(double x) {
  int decade = 0;
  x = std::min(x, std::numeric_limits<double>::max());
  while (x >= 10) {
    x /= 10;
    ++decade;
  }
  return decade;
}

}  // namespace

void Coverage::add(const Case& c, const InputFacts& facts, bool relation_tried) {
  ++distributions_[c.input.distribution.name];
  for (const InputStep& transform : c.input.transforms) ++transforms_[transform.name];
  if (relation_tried) ++relations_[c.relation];
  for (const SpecialRow& row : special_rows)
    if (facts.*row.holds) ++specials_[std::string(row.name)];
  if (facts.decade) ++decades_[*facts.decade];
  if (const auto* schedule = std::get_if<Schedule>(&c.order))
    ++schedules_[schedule->order];
  else
    ++loads_[class_of(std::get<CoRunningLoad>(c.order))];
  for (const auto& [name, value] : c.variables) {
    const auto [highest, is_new] = highest_.try_emplace(name, value);
    if (!is_new) highest->second = std::max(highest->second, value);
  }
  if (const auto count = value_of(c.variables, "count")) ++counts_[*count];
  if (const auto block = value_of(c.variables, "block")) ++blocks_[*block];
  misaligned_ += c.offset != 0 ? 1 : 0;
  repeated_ += c.calls > 1 ? 1 : 0;
}

std::vector<CoverageGroup> Coverage::groups() const {
  CoverageGroup rests{"counts modulo 32", {}};
  for (std::int64_t rest = 0; rest < 32; ++rest) {
    std::uint64_t cases = 0;
    for (const auto& [count, number] : counts_) cases += count % 32 == rest ? number : 0;
    rests.classes.push_back({std::to_string(rest), cases});
  }
  CoverageGroup decades{"condition of sums", {}},
      orders{loads_.empty() ? "schedules" : "co-running loads", {}};
  for (const auto& [decade, cases] : decades_) decades.classes.push_back({decade_name(decade), cases});
  for (const auto& [order, cases] : schedules_)
    orders.classes.push_back({to_string(Schedule{order, 0}), cases});
  for (const auto& [load, cases] : loads_) orders.classes.push_back({std::string(load_names[load]), cases});
  std::vector<CoverageGroup> all{
      group_of("counts", count_rows, counts_),
      std::move(rests),
      group_of("blocks", block_rows, blocks_),
      group_of("distributions", distributions_),
      group_of("transforms", transforms_),
      group_of("in the inputs", specials_),
      std::move(decades),
      group_of("relations", relations_),
      std::move(orders),
      {"runs", {{"misaligned inputs", misaligned_}, {"repeated calls", repeated_}}}};
  return all;
}

std::map<std::string, std::int64_t> Coverage::untried_above(const Domain& domain) const {
  std::map<std::string, std::int64_t> above;
  for (const auto& [name, range] : domain.variables()) {
    const auto highest = highest_.find(name);
    if (highest == highest_.end()) continue;
    // The generator limits the grid, too, to what the largest count fills.
    const auto tried = [&] { return name == "grid" ? highest->second : domain.reach(name).high; };
    const bool untried = name == "count" ? highest->second < domain.claimed_count()
                                         : range.high.names().empty() && tried() < range.high.evaluate({});
    if (untried) above[name] = highest->second;
  }
  return above;
}

std::vector<std::string> Coverage::missed_loads() const {
  std::vector<std::string> missing;
  for (std::size_t load = 0; load < std::size(load_names); ++load)
    if (!loads_.contains(load)) missing.emplace_back(load_names[load]);
  return missing;
}

std::vector<std::string> Coverage::missed_schedules() const {
  std::vector<std::string> missing;
  for (int order = 0; order <= static_cast<int>(Schedule::Order::random); ++order)
    if (const Schedule schedule{static_cast<Schedule::Order>(order), 0}; !schedules_.contains(schedule.order))
      missing.push_back(to_string(schedule));
  return missing;
}

std::string Coverage::missed(const Domain& domain, const CaseGenerator& generator) const {
  MissedClasses missed;
  const auto without = [](const std::vector<std::string>& names, const auto& seen) {
    std::vector<std::string> missing;
    std::ranges::copy_if(names, std::back_inserter(missing),
                         [&](const std::string& name) { return !seen.contains(name); });
    return missing;
  };
  const std::vector<std::string>& distributions = generator.distributions();
  missed.add("distributions", without(distributions, distributions_));
  missed.add("transforms", without(generator.transforms(), transforms_));
  std::vector<std::string> promised;
  for (const SpecialRow& row : special_rows)
    if (std::ranges::find(distributions, row.promised_by) != distributions.end())
      promised.emplace_back(row.name);
  missed.add("special values", without(promised, specials_));
  add_missed(count_rows, "count", domain, counts_, missed);
  // If rows and columns determine the count, only their low ends show whether it can be 0.
  const bool is_determined = std::ranges::any_of(domain.variables(), [](const auto& variable) {
    return variable.first == "count" && variable.second.low.text() == variable.second.high.text() &&
           !variable.second.low.names().empty();
  });
  if (is_determined && domain.reach("count").low == 0 && !counts_.contains(0))
    missed.add("counts", {"no element"});
  add_missed(block_rows, "block", domain, blocks_, missed);
  if (generator.draws_orders()) {
    if (std::holds_alternative<CoRunningLoad>(generator.order_for({})))
      missed.add("co-running loads", missed_loads());
    else
      missed.add("schedules", missed_schedules());
  }
  const bool aligned = std::ranges::any_of(domain.variables(), [&](const auto& variable) {
    return variable.first == "offset" && domain.reach("offset").high == 0;
  });
  if (misaligned_ == 0 && !aligned && !distributions.empty()) missed.add("misaligned inputs");
  if (repeated_ == 0) missed.add("repeated calls");
  const std::string text = missed.text();
  return text.empty() ? "" : "not sampled: " + text;
}

InputFacts facts_of(const Instance& instance, std::span<const std::byte> input) {
  if (!instance.reduction || !is_float(instance.reduction->input)) return {};
  const Element element = instance.reduction->input;
  const Tally t = tally(element, input);
  const Specials& s = t.specials;
  InputFacts facts;
  facts.nan = s.nan;
  facts.infinity = s.positive_infinity;
  facts.minus_infinity = s.negative_infinity;
  facts.zero = t.finite > t.nonzero + t.negative_zeros;
  facts.minus_zero = t.negative_zeros != 0;
  facts.subnormal = has_subnormal(element, input);
  if (instance.reduction->op != Operator::sum || t.finite != t.count || t.nonzero == 0) return facts;
  const Dyadic sum = abs(t.sum());
  facts.decade = sum.is_zero() ? std::numeric_limits<int>::max() : decade_of(ratio(t.magnitude(), sum));
  return facts;
}

}  // namespace foldproof
