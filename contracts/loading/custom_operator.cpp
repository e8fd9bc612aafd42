#include "contracts/loading/tables.h"

#include <fmt/format.h>

#include "contracts/expression/tree.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// Throws InputError unless the tree consists of sums, differences and products of a, b and integers.
void check_polynomial(const ExpressionNode& n, const Text& text) {
  switch (n.operation) {
    case ExpressionOperation::literal:
    case ExpressionOperation::negate:
    case ExpressionOperation::add:
    case ExpressionOperation::subtract:
    case ExpressionOperation::multiply: break;
    case ExpressionOperation::name:
      if (n.name == "a" || n.name == "b") break;
      refuse_expression(fmt::format("unknown name \"{}\"; an operator combines \"a\" and \"b\"", n.name),
                        text.value, n.offset, text.where);
    default:
      refuse_expression(
          "an operation other than +, - and * (only these have the same low bits in integers of every width)",
          text.value, n.offset, text.where);
  }
  for (const NodePtr& operand : n.operands) check_polynomial(*operand, text);
}

bool holds_value(Element element, std::uint64_t bits) {
  return extended(element, bits & code_mask(element)) == bits;
}

std::uint64_t value(const ExpressionNode& n, std::uint64_t a, std::uint64_t b) {
  const auto operand = [&](std::size_t k) { return value(*n.operands[k], a, b); };
  switch (n.operation) {
    case ExpressionOperation::literal: return static_cast<std::uint64_t>(n.value);
    case ExpressionOperation::name: return n.name == "a" ? a : b;
    case ExpressionOperation::negate: return std::uint64_t{0} - operand(0);
    case ExpressionOperation::add: return operand(0) + operand(1);
    case ExpressionOperation::subtract: return operand(0) - operand(1);
    default: return operand(0) * operand(1);
  }
}

}  // namespace

std::shared_ptr<const CustomOperator> custom_operator(const std::optional<Text>& combine,
                                                      const std::optional<Text>& identity, Element element,
                                                      const Position& where) {
  if (!combine)
    throw InputError("a custom operator requires the key \"combine\", such as combine = \"a + b + a * b\"",
                     where);
  if (!identity)
    throw InputError(
        "a custom operator requires the key \"identity\": the integer that is its identity element", where);
  const NodePtr root = parse_expression(combine->value, combine->where);
  check_polynomial(*root, *combine);
  auto custom = std::make_shared<CustomOperator>();
  custom->text = combine->value;
  custom->combine = [root](std::uint64_t a, std::uint64_t b) { return value(*root, a, b); };
  custom->identity =
      static_cast<std::uint64_t>(Expression::parse(identity->value, identity->where).evaluate({}));
  if (is_float(element)) return custom;  // rejected later, together with the other types of the arithmetic
  if (!holds_value(element, custom->identity))
    throw InputError(fmt::format("the identity {} is not a value of {}", identity->value, name(element)),
                     identity->where);
  if (const auto why = why_it_does_not_fold(*custom, element)) throw InputError(*why, combine->where);
  return custom;
}

}  // namespace foldproof
