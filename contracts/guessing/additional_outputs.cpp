// What a kernel may store besides its result.
#include <algorithm>
#include <utility>

#include "contracts/guess.h"
#include "contracts/guessing/guesses.h"
#include "contracts/loading/tables.h"
#include "oracles/layout.h"
#include "oracles/operands.h"

namespace foldproof {
namespace {

/// The reduction of the same elements by another operator, if its results can have that type.
Reduction with_operator(const Reduction& first, Operator op, ResultShape result, Element output) {
  Reduction reduction;
  reduction.op = op;
  reduction.input = first.input;
  reduction.output = output;
  reduction.result = result;
  reduction.epsilon = first.epsilon;
  const bool accumulates = folds(op) && !is_extremum(underlying(op));
  reduction.accumulator = accumulates && is_float(output) == is_float(first.input) ? output : first.input;
  return reduction;
}

/// Whether a result of that operator needs nothing but the elements and, perhaps, the epsilon of the first,
/// or none for a number.
bool is_plain(Operator op, ResultShape shape, const Reduction& first) {
  const auto requires_it = [&](const RoleInfo& role) { return requires_operand(role, op, shape); };
  if (std::ranges::any_of(roles(), requires_it)) return false;
  return !is_formula(op) && info(op).gives != OperatorInfo::Gives::ranked &&
         info(op).gives != OperatorInfo::Gives::counts && op != Operator::custom && !info(op).takes("p") &&
         (!info(op).takes("epsilon") || info(first.op).takes("epsilon") ||
          info(op).gives == OperatorInfo::Gives::number);
}

/// The shapes that a result of the operator may have besides the first, with its number of elements.
std::vector<std::pair<ResultShape, Expression>> places_of(const Instance& instance, const OperatorInfo& op) {
  using Gives = OperatorInfo::Gives;
  const Reduction& first = *instance.reduction;
  // What a normalization computes before it normalizes.
  if (info(first.op).gives == Gives::elements && op.gives != Gives::elements)
    return first.result == ResultShape::rows
               ? std::vector{std::pair(ResultShape::rows, Expression::parse("rows", {}))}
               : std::vector{std::pair(ResultShape::value, Expression::parse("1", {}))};
  std::vector<std::pair<ResultShape, Expression>> places{{first.result, instance.output_count}};
  if (first.result == ResultShape::value)
    places.emplace_back(ResultShape::partials, Expression::parse("grid", {}));
  return places;
}

}  // namespace

std::vector<Instance> with_additional_output(const Instance& instance, const std::string& buffer) {
  std::vector<Instance> all;
  const Reduction& first = *instance.reduction;
  for (const OperatorInfo& op : operators())
    for (const auto& [shape, count] : places_of(instance, op)) {
      if (!is_plain(op.op, shape, first) || says_other(buffer, op.op) || !has_shape(op.op, shape)) continue;
      Instance with = instance;
      BufferContract& output = *std::ranges::find(with.buffers, buffer, &BufferContract::name);
      output.count = count;
      if (output.initial != BufferContract::Initial::undefined) output.initial = initial_of(op.op);
      with.additional_outputs.push_back({buffer, with_operator(first, op.op, shape, output.type)});
      all.push_back(with);
      if (op.op == Operator::mean) {  // as that of a merged variance
        with.additional_outputs.back().reduction.moment_method = MomentMethod::welford;
        all.push_back(with);
      }
      if (!op.takes("correction")) continue;
      with.additional_outputs.back().reduction.correction = 1;
      all.push_back(std::move(with));
    }
  return all;
}

}  // namespace foldproof
