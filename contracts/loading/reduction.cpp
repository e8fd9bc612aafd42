// [reduction], and [[additional_output]], which describes other results with the same keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "contracts/keys.h"
#include "contracts/loading/tables.h"
#include "contracts/names.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string_view>& words, std::string_view last = "and") {
  if (words.size() == 1) return std::string(words[0]);
  return fmt::format("{} {} {}", fmt::join(words.begin(), words.end() - 1, ", "), last, words.back());
}

/// Each operator has its own methods, and partial results are plain sums.
void check_method(const Reduction& reduction, const Table& table) {
  using enum MomentMethod;
  static const std::map<Operator, std::vector<MomentMethod>> methods{
      {Operator::mean, {unspecified, welford, shares}},
      {Operator::norm, {unspecified, plain, scaled}},
      {Operator::variance, {unspecified, two_pass, textbook, shifted, welford}},
      {Operator::deviation, {unspecified, two_pass, textbook, shifted, welford}},
      {Operator::reciprocal_deviation, {unspecified, two_pass, textbook, shifted, welford}},
      {Operator::layer_norm, {unspecified, two_pass, textbook, shifted, welford}}};
  if (const auto known = methods.find(reduction.op);
      known != methods.end() &&
      std::ranges::find(known->second, reduction.moment_method) == known->second.end()) {
    std::vector<std::string_view> names;
    for (const MomentMethod method : known->second) names.push_back(name_of(moment_names, method));
    throw InputError(fmt::format("the method of {} must be {}", name(reduction.op), listed(names, "or")),
                     table.where("method"));
  }
  if (reduction.sum != SumMethod::plain && reduction.result == ResultShape::partials)
    throw InputError(
        "partial results are rounded individually, so \"method\" must be \"plain\" for result = \"partials\"",
        table.where("method"));
}

void check_shape(const Reduction& reduction, const Table& table) {
  if (has_shape(reduction.op, reduction.result)) return;
  throw InputError(
      fmt::format("{} has no result \"{}\"{}; write result = {} in [reduction]", name(reduction.op),
                  name_of(result_names, reduction.result),
                  table.has("result") ? "" : ", which is the default", possible_results(reduction.op)),
      table.where("result"));
}

/// A finite number, rounded like a constant of that type; 0 if the key is missing.
double number(const Scope& scope, const Table& table, std::string_view key, Element type) {
  const auto text = scope.text(table, key);
  if (!text) return 0;
  const auto value = number_in(text->value);
  if (!value || !std::isfinite(*value))
    throw InputError(fmt::format("\"{}\" must be a number such as \"1e-5\", not \"{}\"", key, text->value),
                     text->where);
  return is_float(type) ? to_double(decode(type, encode(type, number_of(*value)))) : *value;
}

/// Throws InputError if there is none, or if the operator is that of another kind of formula.
std::shared_ptr<const Formula> formula(const Scope& scope, const Table& table, const Reduction& reduction) {
  const auto text = scope.text(table, "formula");
  if (!text)
    throw InputError(fmt::format("the operator \"{}\" requires the key \"formula\", such as "
                                 "formula = \"sum(x * dy)\"",
                                 name(reduction.op)),
                     table.where("operator"));
  auto parsed = std::make_shared<const Formula>(Formula::parse(text->value, text->where));
  if (parsed->is_elementwise() != (reduction.op == Operator::element_formula))
    throw InputError(
        parsed->is_elementwise()
            ? "the formula reads elements outside of sum() and mean(): write operator = \"element-formula\""
            : "the formula reads elements only in sum() and mean(): write operator = \"formula\"",
        text->where);
  if (reduction.result == ResultShape::partials && !parsed->is_total())
    throw InputError("only a formula that is a single sum() has partial results", text->where);
  return parsed;
}

/// The keys that both tables have.
void read_choices(const Scope& scope, std::string_view name, const Table& table, Reduction& reduction) {
  scope.read(table, "operator", operator_names, reduction.op);
  // First, since the other messages are about keys that apply to the operator.
  check_keys(scope, name, table, {&reduction.op, 1});
  scope.read(table, "result", result_names, reduction.result);
  scope.read(table, "scan", scan_names, reduction.scan);
  // It combines elements in their order; a reverse scan would have to begin with the last.
  if (reduction.op == Operator::custom && is_reverse(reduction.scan))
    throw InputError("a custom operator has no reverse scan", table.where("scan"));
  scope.read(table, "functions", function_names, reduction.functions);
  scope.read(table, "maximum", maximum_names, reduction.maximum);
  scope.read(table, "affine", affine_names, reduction.affine);
  if (reduction.op == Operator::sum)
    scope.read(table, "method", sum_names, reduction.sum);
  else
    scope.read(table, "method", moment_names, reduction.moment_method);
  check_method(reduction, table);
  reduction.epsilon = number(scope, table, "epsilon", reduction.accumulator);
  if (reduction.epsilon < 0) throw InputError("\"epsilon\" must not be negative", table.where("epsilon"));
  if (table.has("delta")) reduction.delta = number(scope, table, "delta", reduction.accumulator);
  if (reduction.delta <= 0) throw InputError("\"delta\" must be positive", table.where("delta"));
  const std::int64_t correction = table.integer("correction").value_or(0);
  if (correction != 0 && correction != 1)
    throw InputError(fmt::format("\"correction\" must be 0 or 1, not {}", correction),
                     table.where("correction"));
  reduction.correction = static_cast<std::uint64_t>(correction);
  reduction.p = number(scope, table, "p", reduction.accumulator);
  if (reduction.op == Operator::custom)
    reduction.custom = custom_operator(scope.text(table, "combine"), scope.text(table, "identity"),
                                       reduction.accumulator, table.where("operator"));
  reduction.formula = is_formula(reduction.op) ? formula(scope, table, reduction) : nullptr;
  if (const auto bin = scope.text(table, "bin")) {
    reduction.bin = Expression::parse(bin->value, bin->where);
    if (reduction.bin->names() != std::vector<std::string>{"x"})
      throw InputError("\"bin\" must be an expression in x, the element, such as \"x / 4\"", bin->where);
  }
  if (const auto where = scope.text(table, "where"))
    reduction.where = Condition::parse(where->value, reduction.input, where->where);
  check_shape(reduction, table);
}

}  // namespace

void check_keys(const Scope& scope, std::string_view name, const Table& table,
                std::span<const Operator> ops) {
  for (const KeyRow& row : contract_keys()) {
    if (row.table != name || !table.has(row.key)) continue;
    if (std::ranges::any_of(ops, [&](Operator op) { return info(op).takes(row.key); })) continue;
    std::vector<std::string_view> takers;
    for (const OperatorInfo& other : operators())
      if (other.takes(row.key)) takers.push_back(other.name);
    const auto text = scope.text(table, row.key);
    if (takers.empty() || (text && fmt::format("\"{}\"", text->value) == row.fallback)) continue;
    throw InputError(
        fmt::format("\"{}\" applies to {}, not to {}", row.key, listed(takers), foldproof::name(ops[0])),
        table.where(row.key));
  }
}

void read_reduction(Draft& draft) {
  const auto table = draft.top.table("reduction");
  if (!table) return;
  Reduction reduction;
  draft.scope.read(*table, "input", reduction.input);
  reduction.accumulator = reduction.input;
  draft.scope.read(*table, "accumulator", reduction.accumulator);
  reduction.output = reduction.accumulator;
  draft.scope.read(*table, "output", reduction.output);
  read_choices(draft.scope, "reduction", *table, reduction);
  if (draft.calls && !folds(reduction.op))
    throw InputError(
        fmt::format("a \"call\" supports sum, prod, min and max, not {}; write a kernel and a [[launch]]",
                    name(reduction.op)),
        table->where("operator"));
  draft.instance.reduction = reduction;
}

void read_sizes_of_reduction(Draft& draft) {
  const auto table = draft.top.table("reduction");
  if (!table) return;
  Reduction& reduction = *draft.instance.reduction;
  draft.scope.read(*table, "k", reduction.k);
  if (const auto values = draft.scope.text(*table, "values")) reduction.values = draft.scope.range(*values);
}

void read_additional_outputs(Draft& draft) {
  const Instance& instance = draft.instance;
  for (const Table& table : draft.top.tables("additional_output")) {
    AdditionalOutput additional;
    const Text name = *draft.scope.text(table, "buffer");
    const auto buffer = std::ranges::find(instance.buffers, name.value, &BufferContract::name);
    if (!instance.reduction || buffer == instance.buffers.end())
      throw InputError(instance.reduction
                           ? fmt::format("unknown [[buffer]] \"{}\" for an additional output", name.value)
                           : "an additional output requires a [reduction]",
                       name.where);
    additional.buffer = name.value;
    additional.reduction = *instance.reduction;
    draft.scope.read(table, "accumulator", additional.reduction.accumulator);
    additional.reduction.output = buffer->type;
    additional.reduction.functions = {};
    additional.reduction.maximum = {};
    additional.reduction.affine = {};
    additional.reduction.moment_method = {};
    additional.reduction.sum = {};
    additional.reduction.where = {};
    read_choices(draft.scope, "additional_output", table, additional.reduction);
    draft.scope.read(table, "k", additional.reduction.k);
    const Position where = table.where(table.has("result") ? "result" : "buffer");
    check_needed_variables(draft, additional.reduction, where);
    check_needed_operands(draft, additional.reduction, where);
    draft.instance.additional_outputs.push_back(std::move(additional));
  }
}

}  // namespace foldproof
