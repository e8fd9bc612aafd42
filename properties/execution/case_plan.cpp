#include "properties/execution/case_plan.h"

#include <fmt/format.h>

#include "contracts/names.h"
#include "properties/execution/operands.h"
#include "properties/execution/reduction.h"
#include "properties/execution/uses.h"
#include "properties/generation/relaunch.h"

namespace foldproof {
namespace {

/// Tracing needs memory for every value, and as much time as the rest of the run. By this size, loops that
/// lose elements have iterated often enough.
bool is_small(const CasePlan& plan, Element input) {
  constexpr std::size_t most_elements = 1 << 14;
  return plan.input.size() / size_of(input) <= most_elements;
}

/// If the shape of the result determines the number of outputs, the contract must declare the same number.
void check_output_count(const Instance& instance, const Case& c, const PreparedJob& prepared) {
  const auto count = static_cast<std::size_t>(c.variables.at("count"));
  const Operands operands = operands_of(instance, prepared);
  const auto due =
      output_count(result_layout(*instance.reduction, c.variables, operands), instance.reduction->op, count);
  const std::uint64_t declared = prepared.output_count;
  if (due && *due != declared)
    throw InputError(
        fmt::format("[output] has {} elements for a count of {}, but a \"{}\" result of that many elements "
                    "has {}; correct the \"count\" of [output], or that of the domain (rows * columns)",
                    declared, count, name_of(result_names, instance.reduction->result), *due),
        instance.output_count.where());
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
  if (order == usual(order)) return is_schedule ? "under converging" : "alone";
  return fmt::format("under the {} {}", is_schedule ? "schedule" : "co-running load", to_string(order));
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
  check_output_count(instance, c, plan.prepared[0]);
  const auto also = [&](const Case& other, Comparison comparison) {
    plan.prepared.push_back(builder.build(other, plan.input));
    plan.comparisons.push_back(std::move(comparison));
  };
  if (is_deterministic(instance) && c.order != usual(c.order)) {
    Case other = c;
    other.order = usual(c.order);
    also(other, {Kind::schedule_dependent, words_for(c.order), words_for(other.order), "determinism"});
  }
  if (c.calls > 1 || (is_deterministic(instance) && is_host_function(instance))) {
    Case other = c;
    other.calls = 1;
    also(other, {Kind::not_reproducible, "when called again", "when called once", "determinism"});
  }
  if (instance.claims.uses_every_input_once.value_or(true) && is_small(plan, instance.reduction->input)) {
    plan.traced = c.calls > 1 ? plan.prepared.size() - 1 : 0;
    request_trace(instance, plan.prepared[*plan.traced]);
  }
  if (instance.claims.same_for_every_launch) {
    if (const std::optional<Case> other = relaunched(instance, c)) {
      plan.relaunched = plan.prepared.size();
      also(*other, {Kind::not_reproducible, "with " + launch_of(instance, c.variables),
                    "with " + launch_of(instance, other->variables), "the same for every launch"});
    }
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
