// What values are made of: every value that depends on an input is a node, made from the nodes before it.
//
//   1 … n   the input's elements       0   whatever depends on no input
//   x0  x1  x2  x3                     A node's operands have smaller numbers, so that one pass downwards
//    └ + ┘   └ + ┘                     tells of every node what becomes of it.
//       └──+──┘
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/formats.h"

namespace foldproof {

using NodeId = std::uint32_t;

/// How a node is made of its operands a, b, c (oracles/operations.def).
enum class Operation : std::uint8_t {
#define FOLDPROOF_OPERATION(id, name, operands, synopsis) id,
#include "oracles/expressions/operations.def"
#undef FOLDPROOF_OPERATION
};
std::string_view name(Operation operation);

/// How an arithmetic node rounds: to nearest, ties to even, unless said.
enum class Direction : std::uint8_t { nearest, to_zero, down, up };

/// One value of one run.
struct Node {
  Operation operation = Operation::opaque;
  Element element = Element::u32;  ///< of arithmetic: the format of the result
  Element source = Element::u32;   ///< of `convert`: the format of a
  Direction direction = Direction::nearest;
  bool flushes = false;         ///< subnormal operands and results become zero
  bool propagates_nan = false;  ///< of `minimum` and `maximum`
  bool saturates = false;       ///< of `convert`: to the largest finite value instead of an infinity
  std::uint8_t bytes = 4;       ///< of the value
  std::uint8_t first = 0;       ///< of `part`: the first byte of a
  std::array<NodeId, 3> operand{};
  std::uint64_t bits = 0;  ///< the value; of more than eight bytes, the low ones
};

/// A byte of a node's value; node 0: a byte that depends on no input and has the value `constant`.
struct BytePart {
  NodeId node = 0;
  std::uint8_t byte = 0;
  std::uint8_t constant = 0;
};

class Expressions {
 public:
  /// Begins with the elements of an input as nodes 1 … n.
  void add_input(Element element, std::span<const std::byte> values);

  NodeId inputs() const { return inputs_; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }  ///< numbers below it are nodes
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  /// Values on which a way through the program, or what is done at all, depended.
  const std::vector<NodeId>& decisions() const { return decisions_; }
  /// Why the expressions are not the whole truth, as a sentence; nothing where they are.
  const std::optional<std::string>& incomplete() const { return incomplete_; }

  NodeId add(const Node& node);
  NodeId constant(std::uint64_t bits, unsigned bytes);
  void set_value(NodeId node, std::uint64_t bits) { nodes_[node].bits = bits; }
  /// A value about which nothing is known but what it depends on; zeros among the nodes count for nothing.
  NodeId opaque(std::span<const NodeId> of, std::uint64_t bits, unsigned bytes);
  /// The bytes of `node` from `first` on.
  NodeId part(NodeId node, unsigned first, unsigned bytes);
  /// The value that consists of these bytes; 0 where none of them depends on an input.
  NodeId assembled(std::span<const BytePart> bytes);
  /// The bytes of a value, lowest first; `bits` are those of node 0.
  void take_apart(NodeId node, unsigned bytes, std::uint64_t bits, std::span<BytePart> to) const;
  /// `node`, with `now` in the place of `before`, however deep it is used; the values must be the same.
  NodeId replaced(NodeId node, NodeId before, NodeId now);

  void decide(NodeId node);
  void mark_incomplete(std::string_view why);

 private:
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<NodeId> decisions_;
  std::optional<std::string> incomplete_;
  NodeId inputs_ = 0;
};

/// Whether a choice is that of the larger or smaller of two: what decides it depends on these two alone.
bool is_comparison_of_its_operands(const Expressions& expressions, const Node& choice);

}  // namespace foldproof
