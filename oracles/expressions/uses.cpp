#include "oracles/uses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "oracles/number.h"

namespace foldproof {
namespace {

/// What a node adds to the uses of its operands, per use of the node; nothing if unknown.
using Factors = std::array<std::optional<double>, 3>;

constexpr Factors unknown{};

std::optional<double> constant_value(const Expressions& expressions, NodeId id, Element element) {
  const Node& node = expressions[id];
  if (node.operation != Operation::constant) return std::nullopt;
  const Number number = decode(element, node.bits);
  if (!number.is_finite()) return std::nullopt;
  return to_double(number);
}

/// A product is linear in a factor if the other factor is constant.
Factors factors_of_product(const Expressions& expressions, const Node& node, double addend) {
  const auto a = constant_value(expressions, node.operand[0], node.element),
             b = constant_value(expressions, node.operand[1], node.element);
  const bool wraps = !is_float(node.element);  // a factor may undo another one modulo 2^w
  if (wraps && a != 1.0 && b != 1.0) return {std::nullopt, std::nullopt, addend};
  if (a) return {0, a, addend};
  if (b) return {b, 0, addend};
  return {std::nullopt, std::nullopt, addend};
}

Factors factors_in_sum(const Expressions& expressions, const Node& node) {
  switch (node.operation) {
    case Operation::add: return {1, 1};
    case Operation::subtract: return {1, -1};
    case Operation::negate: return {-1};
    case Operation::convert: return {1};
    case Operation::multiply: return factors_of_product(expressions, node, 0);
    case Operation::fused: return factors_of_product(expressions, node, 1);
    case Operation::divide: {
      const auto b = constant_value(expressions, node.operand[1], node.element);
      return b && *b != 0 ? Factors{1 / *b, 0} : unknown;
    }
    case Operation::choice: return {1, 0, 0};
    default: return unknown;
  }
}

Factors factors_in_product(const Node& node) {
  switch (node.operation) {
    case Operation::multiply: return {1, 1};
    case Operation::divide: return {1, -1};
    case Operation::negate:
    case Operation::absolute:
    case Operation::convert: return {1};
    case Operation::choice: return {1, 0, 0};
    default: return unknown;
  }
}

/// An element that is multiplied or divided by a constant occurs once, unless the constant is 0; a product
/// of elements is unknown.
Factors factors_of_scaling(const Expressions& expressions, const Node& node) {
  const auto a = constant_value(expressions, node.operand[0], node.element),
             b = constant_value(expressions, node.operand[1], node.element);
  if (b) return {*b == 0 && node.operation == Operation::multiply ? 0.0 : 1.0, 0};
  if (a && node.operation == Operation::multiply) return {0, *a == 0 ? 0.0 : 1.0};
  return unknown;
}

Factors factors_in_extremum(const Expressions& expressions, const Node& node) {
  switch (node.operation) {
    case Operation::minimum:
    case Operation::maximum: return {1, 1};
    case Operation::multiply:
    case Operation::divide: return factors_of_scaling(expressions, node);
    case Operation::absolute:
    case Operation::negate:
    case Operation::convert: return {1};
    case Operation::choice: return {1, is_comparison_of_its_operands(expressions, node) ? 1.0 : 0.0, 0};
    default: return unknown;
  }
}

/// An integer whose upper bytes are dropped, which leaves it unchanged modulo 2^w.
bool truncates(const Expressions& expressions, const Node& node) {
  if (node.operation != Operation::part || node.first != 0) return false;
  const Node& whole = expressions[node.operand[0]];
  return whole.operation != Operation::opaque && whole.operation != Operation::joined &&
         whole.operation != Operation::choice && !is_float(whole.element);
}

/// An unsigned integer that is widened with zero bytes.
bool widens(const Expressions& expressions, const Node& node) {
  if (node.operation != Operation::joined) return false;
  const Node& above = expressions[node.operand[1]];
  return above.operation == Operation::constant && above.bits == 0;
}

Factors factors_of(const Expressions& expressions, const Node& node, Operator op) {
  if (widens(expressions, node)) return {1, 0};
  if (truncates(expressions, node)) return {1};
  switch (op) {
    case Operator::sum: return factors_in_sum(expressions, node);
    case Operator::prod: return factors_in_product(node);
    default: return factors_in_extremum(expressions, node);
  }
}

}  // namespace

std::vector<Use> uses_of_nodes(const Expressions& expressions, std::span<const NodeId> results, Operator op) {
  std::vector<Use> uses(expressions.size());
  for (Use& use : uses) use.times = 0;
  for (const NodeId result : results) {
    uses[result].counts = true;
    if (uses[result].times) *uses[result].times += 1;
  }
  for (const NodeId decision : expressions.decisions()) uses[decision].counts = uses[decision].decides = true;
  NodeId last = 0;  // nodes created later are in no result and decide nothing
  for (const auto& roots : {results, std::span<const NodeId>(expressions.decisions())})
    for (const NodeId root : roots) last = std::max(last, root);
  for (NodeId id = last; id > expressions.inputs(); --id) {
    const Use& use = uses[id];
    if (!use.counts && use.times == 0.0) continue;
    const Node& node = expressions[id];
    const bool passes_on = use.times && *use.times != 0;
    const Factors factors = passes_on ? factors_of(expressions, node, op) : unknown;
    for (std::size_t k = 0; k < node.operand.size(); ++k) {
      if (node.operand[k] == 0) continue;
      Use& below = uses[node.operand[k]];
      below.counts |= use.counts;
      below.decides |= use.decides;
      if (use.times == 0.0) continue;
      if (!factors[k])
        below.times.reset();
      else if (below.times)
        *below.times += *use.times * *factors[k];
    }
  }
  uses[0] = {};
  return uses;
}

std::vector<Use> uses_of(const Expressions& expressions, std::span<const NodeId> results, Operator op) {
  const std::vector<Use> uses = uses_of_nodes(expressions, results, op);
  return {uses.begin() + 1, uses.begin() + 1 + expressions.inputs()};
}

}  // namespace foldproof
