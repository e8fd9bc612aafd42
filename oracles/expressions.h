// Provenance of values: every value that depends on an input is a node, computed from earlier nodes.
//
//   1 … n   the input's elements       0   values that depend on no input
//   x0  x1  x2  x3                     A node's operands have smaller numbers: one pass in descending order
//    └ + ┘   └ + ┘                     determines how every node is used.
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

/// How a node is computed from its operands a, b, c (oracles/expressions/operations.def).
enum class Operation : std::uint8_t {
#define FOLDPROOF_OPERATION(id, name, operands, synopsis) id,
#include "oracles/expressions/operations.def"
#undef FOLDPROOF_OPERATION
};
std::string_view name(Operation operation);

/// How an arithmetic node rounds: to nearest, ties to even, unless stated otherwise.
enum class Direction : std::uint8_t { nearest, to_zero, down, up };

/// One value in one run.
struct Node {
  Operation operation = Operation::opaque;
  Element element = Element::u32;  ///< for arithmetic: the format of the result
  Element source = Element::u32;   ///< for `convert`: the format of a
  Direction direction = Direction::nearest;
  bool flushes = false;         ///< subnormal operands and results become zero
  bool propagates_nan = false;  ///< for `minimum` and `maximum`
  bool saturates = false;       ///< for `convert`: to the largest finite value instead of an infinity
  std::uint8_t bytes = 4;       ///< size of the value
  std::uint8_t first = 0;       ///< for `part`: the first byte of a
  std::array<NodeId, 3> operand{};
  std::uint64_t bits = 0;  ///< the value; if it exceeds eight bytes, the low ones
};

/// A byte of a node's value; node 0 stands for a byte that depends on no input and equals `constant`.
struct BytePart {
  NodeId node = 0;
  std::uint8_t byte = 0;
  std::uint8_t constant = 0;
};

/// Nodes by number, in blocks that never move: a run of a large kernel has millions of nodes, and what it
/// frees fits the next run.
class NodeList {
 public:
  std::size_t size() const {
    return blocks_.empty() ? 0 : (blocks_.size() - 1) * block + blocks_.back().size();
  }
  const Node& operator[](std::size_t at) const { return blocks_[at / block][at % block]; }
  Node& operator[](std::size_t at) { return blocks_[at / block][at % block]; }
  void push_back(const Node& node) {
    if (blocks_.empty() || blocks_.back().size() == block) blocks_.emplace_back().reserve(block);
    blocks_.back().push_back(node);
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 15;
  std::vector<std::vector<Node>> blocks_;
};

class Expressions {
 public:
  Expressions() { nodes_.push_back({}); }
  /// Begins with the elements of an input as nodes 1 … n.
  void add_input(Element element, std::span<const std::byte> values);

  NodeId inputs() const { return inputs_; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }  ///< node ids are smaller
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  /// Values on which control flow, or whether an operation was executed, depended.
  const std::vector<NodeId>& decisions() const { return decisions_; }
  /// Why the provenance is incomplete, as a sentence; nothing if it is complete.
  const std::optional<std::string>& incomplete() const { return incomplete_; }

  NodeId add(const Node& node);
  NodeId constant(std::uint64_t bits, unsigned bytes);
  void set_value(NodeId node, std::uint64_t bits) { nodes_[node].bits = bits; }
  /// A value with known dependencies but an unknown operation; zeros among the nodes are ignored.
  NodeId opaque(std::span<const NodeId> of, std::uint64_t bits, unsigned bytes);
  /// The `bytes` bytes of `node` starting at byte `first`.
  NodeId part(NodeId node, unsigned first, unsigned bytes);
  /// The value that consists of these bytes; 0 if none of them depends on an input.
  NodeId assembled(std::span<const BytePart> bytes);
  /// The bytes of a value, lowest first; `bits` is the value if `node` is 0.
  void take_apart(NodeId node, unsigned bytes, std::uint64_t bits, std::span<BytePart> to) const;
  /// `node` with `before` replaced by `now` at every depth; both must have the same value.
  NodeId replaced(NodeId node, NodeId before, NodeId now);

  void decide(NodeId node);
  void mark_incomplete(std::string_view why);

 private:
  NodeList nodes_;
  std::vector<NodeId> decisions_;
  std::optional<std::string> incomplete_;
  NodeId inputs_ = 0;
};

/// Whether a choice selects the larger or smaller of two values: its decider depends on these two alone.
bool is_comparison_of_its_operands(const Expressions& expressions, const Node& choice);

}  // namespace foldproof
