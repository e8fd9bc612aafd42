#include "properties/execution/case_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "contracts/contract.h"
#include "contracts/names.h"
#include "properties/execution/outputs.h"
#include "properties/execution/reduction.h"
#include "properties/execution/uses.h"
#include "properties/generation/domain.h"
#include "properties/random.h"

namespace foldproof {
namespace {

/// Tracing needs memory for every value, and as much time as the rest of the run. By this size, loops that
/// lose elements have iterated often enough.
bool is_small(const CasePlan& plan, Element input) {
  constexpr std::size_t most_elements = 1 << 14;
  return plan.input.size() / size_of(input) <= most_elements;
}

/// If the shape of a result determines the number of outputs, the contract must declare the same number.
void check_output_counts(const Instance& instance, const Variables& variables, const PreparedJob& prepared) {
  const auto count = static_cast<std::size_t>(variables.at("count"));
  const Operands operands = operands_of(instance, variables, prepared);
  const std::vector<Output> outputs = outputs_of(instance);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Reduction& reduction = outputs[i].reduction;
    const ResultLayout layout = result_layout(reduction, variables, operands);
    const std::uint64_t declared = prepared.outputs[i].count;
    // The results by columns may be stored once or several times.
    const bool repeats =
        layout.shape == ResultShape::columns && info(reduction.op).gives != OperatorInfo::Gives::elements;
    const auto due = repeats ? std::optional(layout.columns) : output_count(layout, reduction.op, count);
    if (!due || declared == *due || (repeats && *due != 0 && declared % *due == 0)) continue;
    throw InputError(
        fmt::format("{} has {} elements for a count of {}, but a \"{}\" result of that many elements has {}; "
                    "correct its \"count\", or that of the domain (rows * columns)",
                    outputs[i].name, declared, count, name_of(result_names, reduction.result), *due),
        outputs[i].elements.where());
  }
}

/// "block=32 grid=4": every variable of the case except the count.
std::string launch_of(const Instance& instance, const Variables& variables) {
  std::string text;
  for (const auto& [name, range] : instance.domain)
    if (name != "count") text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, variables.at(name));
  return text;
}

/// "under the schedule lanes-backward", "under the co-running load busy-kernel"; short for the usual order.
std::string words_for(const LaunchOrder& order) {
  const bool is_schedule = std::holds_alternative<Schedule>(order);
  if (order == usual(order)) return is_schedule ? "under the schedule converging" : "alone";
  return fmt::format("under the {} {}", is_schedule ? "schedule" : "co-running load", to_string(order));
}

/// The order to compare with: the usual one; for a case in the usual order, one that starts with the last
/// block and warp. Half of the cases with few elements run one lane at a time.
LaunchOrder contrasting(const Case& c) {
  using Order = Schedule::Order;
  if (c.order != usual(c.order)) return usual(c.order);
  const bool by_lanes = c.input.seed % 2 != 0 && suits_slow_schedules(c.variables);
  return adapted(Schedule{by_lanes ? Order::lanes_backward : Order::warps_backward},
                 std::holds_alternative<Schedule>(c.order));
}

/// Variables of the input, not of the launch.
constexpr std::array<std::string_view, 6> kept{"count", "rows", "columns", "spatial", "segments", "offset"};
/// A draw of the variables that determine the count may miss it, and a draw may give the same value.
constexpr int most_tries = 8;

/// All magnitudes are equally likely, and the upper end is drawn occasionally: it is the most work.
std::int64_t drawn(const Bounds& range, SplitMix& random) {
  if (random.below(8) == 0) return range.high;
  const auto span = static_cast<std::uint64_t>(range.high - range.low);
  const auto bits = static_cast<std::uint64_t>(std::bit_width(span));
  return range.low + static_cast<std::int64_t>(random.below((span >> random.below(bits + 1)) + 1));
}

/// Another value than before, unless a few draws give the same.
std::int64_t drawn_differently(const Bounds& range, std::int64_t before, SplitMix& random) {
  std::int64_t value = before;
  for (int draw = 0; draw < most_tries && value == before; ++draw) value = drawn(range, random);
  return value;
}

Variables drawn_anew(const Domain& domain, const Variables& before, SplitMix& random) {
  Variables chosen;
  for (const auto& variable : domain.variables()) {
    const Bounds range = domain.bounds(variable, chosen);
    const bool keep = std::ranges::find(kept, variable.first) != kept.end();
    chosen[variable.first] = keep ? range.clamp(before.at(variable.first))
                                  : drawn_differently(range, before.at(variable.first), random);
  }
  return chosen;
}

bool has_as_many_results(const Instance& instance, const Variables& here, const Variables& there) {
  const auto is_same = [&](const Expression& count) { return count.evaluate(here) == count.evaluate(there); };
  return is_same(instance.output_count) &&
         std::ranges::all_of(instance.additional_outputs, [&](const AdditionalOutput& additional) {
           return is_same(
               std::ranges::find(instance.buffers, additional.buffer, &BufferContract::name)->count);
         });
}

/// The case with other values of launch variables such as block and grid, and with the same numbers of
/// elements, rows, columns and outputs. Drawn from the case alone. Nothing if the domain leaves no choice.
std::optional<Case> relaunched(const Instance& instance, const Case& c) {
  const Domain domain(instance, static_cast<std::uint64_t>(c.variables.at("count")));
  SplitMix random(hash_of("relaunched", c.input.seed));
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Case other = c;
    other.variables = drawn_anew(domain, c.variables, random);
    const auto same = [&](std::string_view name) {
      const std::string key(name);
      return !c.variables.contains(key) || c.variables.at(key) == other.variables.at(key);
    };
    if (other.variables != c.variables && std::ranges::all_of(kept, same) &&
        has_as_many_results(instance, c.variables, other.variables))
      return other;
  }
  return std::nullopt;
}

}  // namespace

CasePlan plan_case(const JobBuilder& builder, const relations::RelationSubject& subject, const Case& c,
                   std::vector<std::byte> input) {
  const Instance& instance = subject.instance;
  CasePlan plan;
  plan.c = &c;
  plan.input = std::move(input);
  plan.prepared.push_back(builder.build(c, plan.input));
  if (!instance.reduction) return plan;
  check_output_counts(instance, c.variables, plan.prepared[0]);
  const auto also = [&](const Case& other, Comparison comparison) {
    plan.prepared.push_back(builder.build(other, plan.input));
    plan.comparisons.push_back(std::move(comparison));
  };
  // A host function in the usual order is called again instead.
  if (is_deterministic(instance) && (c.order != usual(c.order) || !is_host_function(instance))) {
    Case other = c;
    other.order = contrasting(c);
    also(other, {Kind::schedule_dependent, words_for(c.order), words_for(other.order), "determinism"});
  }
  if (instance.claims.same_for_every_launch) {
    if (const std::optional<Case> other = relaunched(instance, c)) {
      plan.relaunched = plan.prepared.size();
      also(*other, {Kind::not_reproducible, "with " + launch_of(instance, c.variables),
                    "with " + launch_of(instance, other->variables), "that it is the same for every launch"});
    }
  }
  if (c.calls > 1 || (is_deterministic(instance) && is_host_function(instance))) {
    Case other = c;
    other.calls = 1;
    also(other, {Kind::not_reproducible, "when called again", "when called once", "determinism"});
  }
  const bool traces = instance.claims.uses_every_input_once.value_or(true) || instance.claims.height;
  if (traces && is_small(plan, instance.reduction->input)) {
    plan.traced = c.calls > 1 ? plan.prepared.size() - 1 : 0;
    request_trace(instance, plan.prepared[*plan.traced]);
  }
  plan.derived = relations::derive(subject, c, plan.input);
  for (const relations::Derived& derived : plan.derived) {
    Case other = c;
    other.variables = derived.variables;
    plan.of_derived.push_back(builder.build(other, derived.input));
  }
  return plan;
}

}  // namespace foldproof
