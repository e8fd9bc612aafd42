#include "oracles/summation_tree.h"

#include <algorithm>

#include "oracles/number.h"

namespace foldproof {
namespace {

bool combines(Operation operation, Operator op) {
  switch (op) {
    case Operator::sum:
      return operation == Operation::add || operation == Operation::subtract || operation == Operation::fused;
    case Operator::prod: return operation == Operation::multiply;
    case Operator::min: return operation == Operation::minimum;
    case Operator::max: return operation == Operation::maximum;
    default: return false;
  }
}

/// Creates the vertices below a result, children first.
class Builder {
 public:
  Builder(const Expressions& expressions, Operator op)
      : expressions_(expressions), op_(op), vertex_of_(expressions.size(), SummationTree::none) {}

  std::optional<std::string> build(NodeId result) {
    const std::vector<bool> wanted = find_wanted(result);
    if (shared_) return "an intermediate value is used more than once, so the summation is not a tree";
    for (NodeId id = 1; id <= result; ++id)
      if (wanted[id]) vertex_of_[id] = vertex(id);
    if (vertices.empty()) return "the result does not depend on any element of the input";
    return std::nullopt;
  }

  std::vector<SummationTree::Vertex> vertices;

 private:
  bool is_constant(NodeId id) const { return id == 0 || expressions_[id].operation == Operation::constant; }

  /// Operands that are vertices or represent one.
  std::vector<NodeId> children(NodeId id) const {
    const Node& node = expressions_[id];
    std::vector<NodeId> all;
    if (node.operation == Operation::fused && op_ == Operator::sum) {
      if (!is_constant(node.operand[2])) all.push_back(node.operand[2]);
      if (const NodeId scaled = scaled_operand(node)) all.push_back(scaled);
    } else if (combines(node.operation, op_) || is_compared(node)) {
      for (const NodeId operand : {node.operand[0], node.operand[1]})
        if (!is_constant(operand)) all.push_back(operand);
    } else if (passes(node)) {
      all.push_back(op_ == Operator::sum && scaled_operand(node) != 0 ? scaled_operand(node)
                                                                      : node.operand[0]);
    }
    return all;
  }

  /// The other operand of a product or quotient with a constant; 0 if there is none.
  NodeId scaled_operand(const Node& node) const {
    const NodeId a = node.operand[0], b = node.operand[1];
    switch (node.operation) {
      case Operation::divide: return is_constant(b) ? a : 0;
      case Operation::multiply:
      case Operation::fused: return is_constant(b) ? (is_constant(a) ? 0 : a) : is_constant(a) ? b : 0;
      default: return 0;
    }
  }

  /// The factor of scaled_operand().
  double factor_of(const Node& node) const {
    const bool is_first = scaled_operand(node) == node.operand[0];
    const Node& constant = expressions_[node.operand[is_first ? 1 : 0]];
    const double value = to_double(decode(node.element, constant.bits));
    return node.operation == Operation::divide ? 1 / value : value;
  }

  /// A minimum or maximum computed by two instructions.
  bool is_compared(const Node& node) const {
    return is_extremum(op_) && node.operation == Operation::choice &&
           is_comparison_of_its_operands(expressions_, node);
  }

  bool passes(const Node& node) const {
    switch (node.operation) {
      case Operation::negate:
      case Operation::convert: return !is_constant(node.operand[0]);
      case Operation::choice: return !is_constant(node.operand[0]) && is_constant(node.operand[1]);
      case Operation::joined: return is_constant(node.operand[1]) && expressions_[node.operand[1]].bits == 0;
      case Operation::multiply:
      case Operation::divide: return op_ == Operator::sum && scaled_operand(node) != 0;
      default: return false;
    }
  }

  std::vector<bool> find_wanted(NodeId result) {
    std::vector<bool> wanted(expressions_.size());
    if (is_constant(result)) return wanted;
    wanted[result] = true;
    for (NodeId id = result; id > 0; --id) {
      if (!wanted[id]) continue;
      for (const NodeId child : children(id)) {
        shared_ |= wanted[child];
        wanted[child] = true;
      }
    }
    return wanted;
  }

  std::uint32_t add(const SummationTree::Vertex& vertex) {
    vertices.push_back(vertex);
    return static_cast<std::uint32_t>(vertices.size() - 1);
  }

  std::uint32_t leaf(NodeId id) {
    const bool single = expressions_[id].operation == Operation::input;
    return add({.element = single ? id - 1 : SummationTree::none});
  }

  std::uint32_t vertex(NodeId id) {
    const Node& node = expressions_[id];
    const std::vector<NodeId> below = children(id);
    if (op_ == Operator::sum && scaled_operand(node) != 0) return scaled(node, below);
    if (node.operation == Operation::fused && op_ == Operator::sum) {
      const std::uint32_t product = product_leaf(node);
      return below.empty() ? product : parent(vertex_of_[below[0]], product, true);
    }
    if (below.empty()) return leaf(id);
    if (below.size() == 1) return vertex_of_[below[0]];
    return parent(vertex_of_[below[0]], vertex_of_[below[1]], false);
  }

  /// A value times a constant, and the value to which an fma adds it. Inside a tree a factor does not affect
  /// the order.
  std::uint32_t scaled(const Node& node, const std::vector<NodeId>& below) {
    const std::uint32_t of = vertex_of_[below.back()];
    if (vertices[of].is_leaf()) vertices[of].factor *= factor_of(node);
    return below.size() == 1 ? of : parent(vertex_of_[below[0]], of, true);
  }

  /// The product of two values that an fma adds, as a leaf. Its element is the first factor that is an
  /// element of the input, in any format.
  std::uint32_t product_leaf(const Node& node) {
    SummationTree::Vertex product;
    for (NodeId factor : {node.operand[1], node.operand[0]}) {
      while (factor != 0 && expressions_[factor].operation == Operation::convert)
        factor = expressions_[factor].operand[0];
      if (factor != 0 && expressions_[factor].operation == Operation::input) product.element = factor - 1;
    }
    return add(product);
  }

  std::uint32_t parent(std::uint32_t left, std::uint32_t right, bool fused) {
    const auto &a = vertices[left], &b = vertices[right];
    return add({.left = left,
                .right = right,
                .leaves = a.leaves + b.leaves,
                .height = std::max(a.height, b.height) + 1,
                .fused = fused});
  }

  const Expressions& expressions_;
  Operator op_;
  std::vector<std::uint32_t> vertex_of_;
  bool shared_ = false;
};

}  // namespace

std::variant<SummationTree, std::string> SummationTree::of(const Expressions& expressions, NodeId result,
                                                           Operator op) {
  Builder builder(expressions, op);
  if (const auto why = builder.build(result)) return *why;
  SummationTree tree;
  tree.vertices_ = std::move(builder.vertices);
  return tree;
}

}  // namespace foldproof
