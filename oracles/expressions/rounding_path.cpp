#include "oracles/rounding_path.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace foldproof {
namespace {

bool is_zero_constant(const Expressions& expressions, NodeId id, Element element) {
  const Node& node = expressions[id];
  return node.operation == Operation::constant && decode(element, node.bits).is_zero();
}

Dyadic magnitude(double factor) { return abs(Dyadic(number_of(factor))); }

/// Whether the node is an addition of something other than a zero that depends on no input.
bool adds(const Expressions& expressions, const Node& node) {
  switch (node.operation) {
    case Operation::add:
    case Operation::subtract:
      return !is_zero_constant(expressions, node.operand[0], node.element) &&
             !is_zero_constant(expressions, node.operand[1], node.element);
    case Operation::fused: return !is_zero_constant(expressions, node.operand[2], node.element);
    default: return false;
  }
}

/// Whether the node combines an input-dependent value with one that may change it. Adding a zero, multiplying
/// by one and taking an extremum with any constant do not count.
bool combines(const Expressions& expressions, const Node& node, Operator op) {
  const auto is_constant = [&](std::size_t k, double value) {
    const Node& operand = expressions[node.operand[k]];
    return operand.operation == Operation::constant && to_double(decode(node.element, operand.bits)) == value;
  };
  const auto is_any_constant = [&](std::size_t k) {
    return expressions[node.operand[k]].operation == Operation::constant;
  };
  if (is_bitwise(op)) return node.operation == Operation::opaque && node.operand[1] != 0;
  switch (underlying(op)) {
    case Operator::sum: return adds(expressions, node);
    case Operator::prod:
      return node.operation == Operation::multiply && !is_constant(0, 1) && !is_constant(1, 1);
    case Operator::min:
    case Operator::max:
      return (node.operation == Operation::minimum || node.operation == Operation::maximum) &&
             !is_any_constant(0) && !is_any_constant(1);
    default: return false;
  }
}

/// Whether the node may combine elements in a way that is not known. A function of one value, such as a root,
/// combines nothing, and expressions do not name bitwise operations, which have two operands.
bool is_opaque_to(Operator op, const Node& node) {
  return node.operation == Operation::opaque && node.operand[is_bitwise(op) ? 2 : 1] != 0;
}

/// Whether a choice was one between a value that depends on the input and one that does not, as at the end of
/// the input, or between a value and itself, as in the last lanes of a shuffle.
bool chooses_from_one(const Expressions& expressions, const Node& choice) {
  const auto depends = [&](NodeId id) { return id != 0 && expressions[id].operation != Operation::constant; };
  return choice.operand[0] == choice.operand[1] || !depends(choice.operand[0]) || !depends(choice.operand[1]);
}

/// Whether the node converts to a type that represents every value of the source.
bool widens(const Node& node) {
  return node.operation == Operation::convert && is_float(node.source) && includes(node.element, node.source);
}

/// A conversion flushes only values of f32.
Dyadic smallest_flushed_normal(const Node& node) {
  return smallest_normal(float_format(node.operation == Operation::convert ? Element::f32 : node.element));
}

/// The largest error of a rounded value, given its operands.
Dyadic local_error(const Node& node) {
  const FloatFormat& format = float_format(node.element);
  const Dyadic value(decode(node.element, node.bits));
  const bool half = node.direction == Direction::nearest;
  Dyadic error = ulp(node.element, value) * Dyadic::power_of_two(half ? -1 : 0);
  // A sum of two values of a format is exact if it is subnormal, and so is a widening conversion.
  if (((node.operation == Operation::add || node.operation == Operation::subtract) &&
       abs(value) < smallest_normal(format)) ||
      widens(node))
    error = {};
  if (node.flushes) error = error + whole(3) * smallest_flushed_normal(node);  // two operands and the result
  return error;
}

/// The same, if arithmetic must be as precise as in the claimed accumulator's format.
Dyadic allowed_error(const Node& node, Element claimed) {
  if (!is_float(claimed) || node.operation == Operation::convert) return local_error(node);
  const int missing = float_format(claimed).precision - float_format(node.element).precision;
  return local_error(node) * Dyadic::power_of_two(-std::max(missing, 0));
}

/// By node: whether it is the value of a result, or of a part of it.
std::vector<bool> values_of(const Expressions& expressions, std::span<const NodeId> results) {
  std::vector<bool> are_values(expressions.size());
  for (const NodeId result : results) are_values[result] = true;
  for (NodeId id = expressions.size() - 1; id > 0; --id) {
    const Node& node = expressions[id];
    if (!are_values[id] || (node.operation != Operation::part && node.operation != Operation::joined))
      continue;
    for (const NodeId operand : node.operand) are_values[operand] = true;
  }
  return are_values;
}

/// Whether the value represents everything beyond it.
bool is_saturated(const Node& node) {
  return node.saturates && abs(Dyadic(decode(node.element, node.bits))) >= largest_finite(node.element);
}

/// Whether a factor was computed without rounding: a multiple of 2^-30 of magnitude below 2^20.
bool is_exact(double factor) {
  return std::fabs(factor) < 0x1p20 && std::trunc(factor * 0x1p30) == factor * 0x1p30;
}

/// The running bound with these errors of the nodes that round.
std::optional<Dyadic> running_bound_of(const Expressions& expressions, std::span<const Use> uses,
                                       const std::function<Dyadic(NodeId)>& error_of) {
  Dyadic bound;
  for (NodeId id = expressions.size() - 1; id > 0; --id) {
    if (uses[id].times == 0.0) continue;
    if (!uses[id].times || !is_exact(*uses[id].times)) return std::nullopt;
    const Node& node = expressions[id];
    if (node.operation == Operation::opaque || node.operation == Operation::choice) return std::nullopt;
    if (is_float(node.element) && !decode(node.element, node.bits).is_finite()) return std::nullopt;
    if (is_saturated(node)) return std::nullopt;
    if (rounds(expressions, node)) bound = bound + magnitude(*uses[id].times) * error_of(id);
  }
  return bound;
}

}  // namespace

bool rounds(const Expressions& expressions, const Node& node) {
  if (!is_float(node.element)) return false;
  switch (node.operation) {
    case Operation::add:
    case Operation::subtract: return node.flushes || adds(expressions, node);
    case Operation::multiply:
    case Operation::fused:
    case Operation::divide: return true;
    case Operation::convert: return node.flushes || !widens(node);
    default: return false;
  }
}

std::string_view combinations_of(Operator op) {
  if (is_bitwise(op)) return "bitwise operations";
  const Operator fold = underlying(op);
  return fold == Operator::sum ? "additions" : fold == Operator::prod ? "multiplications" : "comparisons";
}

Combinations combinations(const Expressions& expressions, std::span<const NodeId> results, Operator op) {
  const bool extremum = is_extremum(underlying(op));
  bool all_known = true;
  std::vector<std::uint64_t> above(expressions.size());
  std::vector<bool> reached(expressions.size());
  for (const NodeId result : results) reached[result] = true;
  for (NodeId id = expressions.size() - 1; id > expressions.inputs(); --id) {
    const Node& node = expressions[id];
    if (!reached[id]) continue;
    const bool hides = is_opaque_to(op, node);
    const bool compares =
        extremum && node.operation == Operation::choice && is_comparison_of_its_operands(expressions, node);
    all_known &= !hides && (!extremum || node.operation != Operation::choice || compares ||
                            chooses_from_one(expressions, node));
    if (hides) continue;
    const std::uint64_t below = above[id] + (compares || combines(expressions, node, op) ? 1 : 0);
    const std::size_t operands = node.operation != Operation::choice ? node.operand.size() : compares ? 2 : 1;
    for (std::size_t k = 0; k < operands; ++k) {
      const NodeId operand = node.operand[k];
      if (operand == 0) continue;
      reached[operand] = true;
      above[operand] = std::max(above[operand], below);
    }
  }
  return {{above.begin() + 1, above.begin() + 1 + expressions.inputs()}, all_known};
}

std::optional<Dyadic> running_bound(const Expressions& expressions, std::span<const NodeId> results) {
  return running_bound_of(expressions, uses_of_nodes(expressions, results, Operator::sum),
                          [&](NodeId id) { return local_error(expressions[id]); });
}

std::optional<Dyadic> running_bound(const Expressions& expressions, std::span<const NodeId> results,
                                    std::span<const Use> uses, Element claimed) {
  const std::vector<bool> are_values = values_of(expressions, results);
  return running_bound_of(expressions, uses, [&](NodeId id) {
    return are_values[id] ? local_error(expressions[id]) : allowed_error(expressions[id], claimed);
  });
}

}  // namespace foldproof
