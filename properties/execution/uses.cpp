#include "properties/execution/uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "oracles/number.h"
#include "oracles/rounding_path.h"
#include "oracles/uses.h"
#include "properties/execution/outputs.h"
#include "properties/execution/reduction.h"

namespace foldproof {
namespace {

bool passes_input(const ArgumentContract& argument) {
  return argument.buffer == "input" || std::ranges::any_of(argument.members, passes_input);
}

std::size_t first_with_input(const Instance& instance) {
  const auto found = std::ranges::find_if(instance.launches, [](const LaunchContract& launch) {
    return std::ranges::any_of(launch.arguments, passes_input);
  });
  return found == instance.launches.end() ? 0 : static_cast<std::size_t>(found - instance.launches.begin());
}

/// By node: whether it depends on the element.
std::vector<bool> dependents(const Expressions& expressions, std::size_t element) {
  std::vector<bool> depend(expressions.size());
  depend[element + 1] = true;
  for (NodeId id = expressions.inputs() + 1; id < expressions.size(); ++id)
    depend[id] =
        std::ranges::any_of(expressions[id].operand, [&](NodeId operand) { return depend[operand]; });
  return depend;
}

}  // namespace

std::size_t losing_launch(const Instance& instance, const ProvenanceTrace& trace, std::size_t element) {
  const std::vector<bool> depend = dependents(trace.expressions, element);
  std::optional<std::size_t> last;
  bool last_keeps = false;
  NodeId begin = trace.expressions.inputs() + 1;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const LaunchTrace& launch = trace.launches[i];
    const bool keeps = std::ranges::any_of(launch.kept, [&](NodeId node) { return depend[node]; });
    const bool makes =
        std::find(depend.begin() + begin, depend.begin() + launch.end, true) != depend.begin() + launch.end;
    if (makes || keeps) last = i, last_keeps = keeps;
    begin = launch.end;
  }
  if (!last) return first_with_input(instance);
  return last_keeps ? std::min(*last + 1, trace.launches.size() - 1) : *last;
}

namespace {

/// Number of results to examine: if each is the whole reduction, and if each is the reduction of a part.
constexpr std::size_t most_wholes = 32, most_parts = 8;

/// Elements with the same fault.
class FaultyElements {
 public:
  void add(std::size_t index) {
    if (count_++ == 0) first_ = index;
    last_ = index;
  }
  bool any() const { return count_ != 0; }
  std::size_t first() const { return first_; }
  /// "element 3 is", "elements 3 and 7 are", "9 elements, from 3 to 40, are".
  std::string are() const {
    if (count_ == 1) return fmt::format("element {} is", first_);
    if (count_ == 2) return fmt::format("elements {} and {} are", first_, last_);
    return fmt::format("{} elements, from {} to {}, are", count_, first_, last_);
  }

 private:
  std::size_t count_ = 0, first_ = 0, last_ = 0;
};

/// "only elements 3 to 7": what a result is computed from.
std::string only(const Part& part) {
  if (part.size() == 0) return "no element";
  if (part.size() == 1) return fmt::format("only element {}", part.first);
  if (!part.is_contiguous() && part.run == 1)
    return fmt::format("only the elements whose index is {} modulo {}", part.first, part.stride);
  if (!part.is_contiguous())
    return fmt::format("only the elements whose index is {} to {} modulo {}", part.first,
                       part.first + part.run - 1, part.stride);
  return fmt::format("only elements {} to {}", part.first, part.last - 1);
}

/// The scale of element k, or its partner in the second operand.
std::optional<Number> factor_of(const Operands& operands, std::size_t k) {
  if (const auto& scales = operands[Role::scales]) return scale_of(*scales, k);
  if (const auto& second = operands[Role::second]) return second->number(k % second->size());
  return std::nullopt;
}

/// The weight of element k in a result that uses it once: a mean divides it, a dot product multiplies it by
/// its partner, and a scaled sum by its scale.
double one_use(Operator op, const Part& part, const Operands& operands, std::size_t k) {
  if (op == Operator::mean || op == Operator::mae) return 1.0 / static_cast<double>(part.size());
  const std::optional<Number> factor = factor_of(operands, k);
  if (!factor || (op != Operator::dot && !operands[Role::scales])) return 1.0;
  return factor->is_finite() ? std::fabs(to_double(*factor)) : std::numeric_limits<double>::infinity();
}

/// Whether elements enter a result with a factor.
bool has_factors(Operator op, const Operands& operands) {
  return op == Operator::mean || operands[Role::second] || operands[Role::scales];
}

/// Whether the result is NaN whatever the elements are.
bool has_nan_factor(const Part& part, const Operands& operands) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::optional<Number> factor = factor_of(operands, part.element(i));
    if (!factor) return false;
    if (factor->is_nan()) return true;
  }
  return false;
}

/// Whether element k of the part cannot change the result, so that a kernel need not read it: the index of a
/// single element is known, a single element does not vary, and the last element of a sum that has not
/// reached p counts in any case.
bool is_irrelevant(Operator op, const Part& part, std::size_t k) {
  if (op == Operator::top_p) return k == part.element(part.size() - 1);
  const bool gives_index = info(op).gives == OperatorInfo::Gives::index || op == Operator::top_k;
  return part.size() == 1 && (gives_index || is_about_deviation(op));
}

/// For one result, or for all together, computed from a part of the input. `counts`: by index, empty if all
/// elements count.
std::vector<WrongUse> wrong_in_part(const Instance& instance, Operator op, const ProvenanceTrace& trace,
                                    const std::vector<Use>& uses, const Part& part, const Operands& operands,
                                    const std::vector<bool>& counts, std::string_view result) {
  const bool extremum = is_extremum(underlying(op));
  // A contract's own operator may use elements with any multiplicity.
  const bool counts_twice =
      op != Operator::custom && (!extremum || instance.claims.uses_every_input_once.value_or(false));
  const bool is_nan = has_nan_factor(part, operands);
  // Elements after the sum has reached p need not be read.
  const bool stops_early = op == Operator::top_p && !trace.expressions.decisions().empty();
  FaultyElements unused, repeated, foreign;
  for (std::size_t k = 0; k < uses.size(); ++k) {
    if (!counts.empty() && !counts[k]) continue;
    const bool inside = part.holds(k);
    const double once = one_use(op, part, operands, k);
    const double times = uses[k].times && !uses[k].decides ? std::fabs(*uses[k].times) : 0;
    const bool may_change = once != 0 && !is_nan && !is_irrelevant(op, part, k);
    if (inside && !uses[k].counts && may_change && !stops_early) unused.add(k);
    if (inside && counts_twice && times > 1.5 * once) repeated.add(k);
    if (!inside && times > 0.5 * once) foreign.add(k);
  }
  const auto inputs = trace.expressions.inputs();
  const std::string size = fmt::format("the input has {} element{}", inputs, inputs == 1 ? "" : "s");
  std::vector<WrongUse> wrong;
  if (unused.any())
    wrong.push_back({Kind::input_not_used, fmt::format("{} not part of {}; {}", unused.are(), result, size),
                     trace.expressions.decisions().empty(), losing_launch(instance, trace, unused.first())});
  if (repeated.any())
    wrong.push_back(
        {Kind::input_used_twice,
         fmt::format("{} part of {} {}; {}", repeated.are(), result,
                     has_factors(op, operands) ? "with too large a weight" : "more than once", size)});
  if (foreign.any())
    wrong.push_back({Kind::contract_violation, fmt::format("{} part of {}, which must combine {}; {}",
                                                           foreign.are(), result, only(part), size)});
  return wrong;
}

/// By index: whether an element counts; empty if all do.
std::vector<bool> counting_elements(const Reduction& reduction, std::span<const std::byte> input) {
  std::vector<bool> counts;
  for (std::size_t k = 0; reduction.where && k < input.size() / size_of(reduction.input); ++k)
    counts.push_back(reduction.where->holds(load(reduction.input, input, k)));
  return counts;
}

std::vector<WrongUse> wrong_in_output(const Instance& instance, const Output& output,
                                      std::span<const NodeId> all, const Variables& variables,
                                      const ProvenanceTrace& trace, const Operands& operands,
                                      std::span<const std::byte> input) {
  const Operator op = output.reduction.op;
  if (is_formula(op)) return {};  // how often it uses an element depends on the formula and on other elements
  const ResultLayout layout = result_layout(output.reduction, variables, operands);
  const bool together = layout.shape == ResultShape::partials || layout.shape == ResultShape::bins;
  const bool wholes = layout.shape == ResultShape::value;
  const std::size_t most = together ? 1 : wholes ? most_wholes : most_parts;
  const std::size_t rounds = std::min(all.size(), most);
  const std::vector<bool> counts = counting_elements(output.reduction, input);
  std::vector<WrongUse> wrong;
  for (std::size_t round = 0; round < rounds && wrong.empty(); ++round) {
    const std::size_t i = rounds > 1 ? round * (all.size() - 1) / (rounds - 1) : 0;
    const std::vector<Use> uses =
        uses_of(trace.expressions, together ? all : all.subspan(i, 1), underlying(op));
    const Part part = part_of(layout, op, i, uses.size());
    const std::string result = all.size() > 1 && !together ? fmt::format("result {}", i) : "the result";
    wrong = wrong_in_part(instance, op, trace, uses, part, operands, counts, result);
  }
  for (WrongUse& use : wrong) use.message = output.where + use.message;
  return wrong;
}

}  // namespace

void request_trace(const Instance& instance, PreparedJob& prepared) {
  const Element type = instance.reduction->input;
  TraceRequest request{{prepared.input, type, prepared.elements}, {}};
  const std::vector<Output> outputs = outputs_of(instance);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    request.outputs.push_back({prepared.outputs[i].buffer, outputs[i].reduction.output,
                               prepared.outputs[i].count, prepared.outputs[i].first});
  prepared.job.trace = std::move(request);
}

std::vector<WrongUse> wrong_uses(const Instance& instance, const Variables& variables,
                                 const ProvenanceTrace& trace, const Operands& operands,
                                 std::span<const std::byte> input) {
  std::vector<WrongUse> wrong;
  const std::vector<Output> outputs = outputs_of(instance);
  for (std::size_t i = 0; i < outputs.size() && wrong.empty(); ++i)
    wrong = wrong_in_output(instance, outputs[i], trace.results[i], variables, trace, operands, input);
  return wrong;
}

HeightCheck check_height(const Instance& instance, const Variables& variables, const ProvenanceTrace& trace) {
  const std::int64_t claimed = instance.claims.height->evaluate(variables);
  bool all_known = true;
  const std::vector<Output> outputs = outputs_of(instance);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Operator op = outputs[i].reduction.op;
    if (!info(op).takes("height")) continue;
    const Combinations counted = combinations(trace.expressions, trace.results[i], op);
    for (std::size_t k = 0; k < counted.by_element.size(); ++k)
      if (static_cast<std::int64_t>(counted.by_element[k]) > claimed)
        return {fmt::format(
            "the contract claims at most {} {} per element (\"{}\"), but {}element {} goes through {}",
            claimed, combinations_of(op), instance.claims.height->text(), outputs[i].where, k,
            counted.by_element[k])};
    all_known &= counted.all_known;
  }
  return {std::nullopt, all_known};
}

}  // namespace foldproof
