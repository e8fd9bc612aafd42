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
  const bool accumulates = folds(op) && !is_extremum(underlying(op));
  reduction.accumulator = accumulates && is_float(output) == is_float(first.input) ? output : first.input;
  return reduction;
}

/// Whether a result of that operator needs nothing but the elements.
bool is_plain(Operator op, ResultShape shape) {
  const auto requires_it = [&](const RoleInfo& role) { return requires_operand(role, op, shape); };
  if (std::ranges::any_of(roles(), requires_it)) return false;
  return info(op).gives != OperatorInfo::Gives::ranked && info(op).gives != OperatorInfo::Gives::counts &&
         op != Operator::custom && !info(op).takes("p") && !info(op).takes("epsilon");
}

}  // namespace

bool says_other(std::string_view output, Operator op) {
  struct Row {
    std::initializer_list<std::string_view> parts;  ///< "_arg": at the beginning of a word; "_lo_": as a word
    std::initializer_list<Operator> ops;
  };
  static const Row rows[] = {
      {{"idx", "index", "_arg", "_pos_", "_loc_", "where"}, {Operator::argmin, Operator::argmax}},
      {{"max", "_mx_", "_high", "_hi_"}, {Operator::max, Operator::absmax, Operator::argmax}},
      {{"min", "_mn_", "_low", "_lo_"}, {Operator::min, Operator::argmin}},
      {{"sq"}, {Operator::sum_of_squares}},
      {{"count", "cnt"}, {Operator::count}},
      {{"mean", "avg"}, {Operator::mean}},
      {{"var"}, {Operator::variance}},
      {{"sum"}, {Operator::sum, Operator::asum}}};
  const std::string words = in_words(output);
  const auto row = std::ranges::find_if(rows, [&](const Row& one) { return mentions(words, one.parts); });
  return row != std::end(rows) && std::ranges::find(row->ops, op) == row->ops.end();
}

std::vector<Instance> with_additional_output(const Instance& instance, const std::string& buffer) {
  std::vector<Instance> all;
  const Reduction& first = *instance.reduction;
  std::vector<std::pair<ResultShape, Expression>> shapes{{first.result, instance.output_count}};
  if (first.result == ResultShape::value)
    shapes.emplace_back(ResultShape::partials, Expression::parse("grid", {}));
  for (const auto& [shape, count] : shapes)
    for (const OperatorInfo& op : operators()) {
      if (!is_plain(op.op, shape) || says_other(buffer, op.op) || !has_shape(op.op, shape)) continue;
      Instance with = instance;
      BufferContract& output = *std::ranges::find(with.buffers, buffer, &BufferContract::name);
      output.count = count;
      output.initial = initial_of(op.op);
      with.additional_outputs.push_back({buffer, with_operator(first, op.op, shape, output.type)});
      all.push_back(std::move(with));
    }
  return all;
}

}  // namespace foldproof
