#include "oracles/expressions.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

std::uint64_t shifted_left(std::uint64_t bits, unsigned bytes) {
  return bytes >= 8 ? 0 : bits << (8 * bytes);
}

}  // namespace

std::string_view name(Operation operation) {
  static constexpr std::string_view names[] = {
#define FOLDPROOF_OPERATION(id, name, operands, synopsis) name,
#include "oracles/expressions/operations.def"
#undef FOLDPROOF_OPERATION
  };
  return names[static_cast<std::size_t>(operation)];
}

void Expressions::add_input(Element element, std::span<const std::byte> values) {
  assert(size() == inputs_ + 1 && "the input's elements are the first nodes");
  const std::size_t count = values.size() / size_of(element);
  for (std::size_t i = 0; i < count; ++i)
    add({.operation = Operation::input,
         .element = element,
         .bytes = static_cast<std::uint8_t>(size_of(element)),
         .bits = load(element, values, i)});
  inputs_ = size() - 1;
}

NodeId Expressions::add(const Node& node) {
  nodes_.push_back(node);
  return size() - 1;
}

NodeId Expressions::constant(std::uint64_t bits, unsigned bytes) {
  return add({.operation = Operation::constant,
              .bytes = static_cast<std::uint8_t>(bytes),
              .bits = cut_bytes(bits, 0, bytes)});
}

NodeId Expressions::opaque(std::span<const NodeId> of, std::uint64_t bits, unsigned bytes) {
  Node node{.bytes = static_cast<std::uint8_t>(bytes), .bits = cut_bytes(bits, 0, bytes)};
  std::size_t used = 0;
  for (const NodeId one : of) {
    if (one == 0 || std::find(node.operand.begin(), node.operand.end(), one) != node.operand.end()) continue;
    if (used == node.operand.size()) {  // one node replaces the earlier ones
      node.operand = {add(node), 0, 0};
      used = 1;
    }
    node.operand[used++] = one;
  }
  return used == 0 ? 0 : add(node);
}

NodeId Expressions::part(NodeId node, unsigned first, unsigned bytes) {
  const Node& whole = nodes_[node];
  if (node == 0 || (first == 0 && bytes == whole.bytes)) return node;
  assert(first + bytes <= whole.bytes);
  if (whole.operation == Operation::part) return part(whole.operand[0], whole.first + first, bytes);
  if (whole.operation == Operation::joined) {
    const auto [low, high] = std::pair(whole.operand[0], whole.operand[1]);
    const unsigned below = nodes_[low].bytes;
    if (first + bytes <= below) return part(low, first, bytes);
    if (first >= below) return part(high, first - below, bytes);
  }
  return add({.operation = Operation::part,
              .bytes = static_cast<std::uint8_t>(bytes),
              .first = static_cast<std::uint8_t>(first),
              .operand = {node, 0, 0},
              .bits = cut_bytes(whole.bits, first, bytes)});
}

void Expressions::take_apart(NodeId node, unsigned bytes, std::uint64_t bits, std::span<BytePart> to) const {
  if (node == 0 || nodes_[node].operation == Operation::constant) {
    const std::uint64_t value = node == 0 ? bits : nodes_[node].bits;
    for (unsigned b = 0; b < bytes; ++b) to[b] = {0, 0, static_cast<std::uint8_t>(cut_bytes(value, b, 1))};
    return;
  }
  const Node& whole = nodes_[node];
  if (whole.operation == Operation::joined) {
    const unsigned below = nodes_[whole.operand[0]].bytes;
    take_apart(whole.operand[0], std::min(bytes, below), 0, to);
    if (bytes > below) take_apart(whole.operand[1], bytes - below, 0, to.subspan(below));
    return;
  }
  const bool is_part = whole.operation == Operation::part;
  for (unsigned b = 0; b < bytes; ++b)
    to[b] = {is_part ? whole.operand[0] : node, static_cast<std::uint8_t>(b + (is_part ? whole.first : 0)),
             0};
}

NodeId Expressions::assembled(std::span<const BytePart> bytes) {
  if (std::ranges::all_of(bytes, [](const BytePart& b) { return b.node == 0; })) return 0;
  NodeId value = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    // Consecutive bytes of one node, or constants.
    std::size_t end = begin + 1;
    const BytePart& first = bytes[begin];
    while (end < bytes.size() && bytes[end].node == first.node &&
           (first.node == 0 || bytes[end].byte == first.byte + (end - begin)))
      ++end;
    const auto count = static_cast<unsigned>(end - begin);
    std::uint64_t constants = 0;
    for (std::size_t b = begin; b < end; ++b)
      constants |= shifted_left(bytes[b].constant, static_cast<unsigned>(b - begin));
    const NodeId piece = first.node == 0 ? constant(constants, count) : part(first.node, first.byte, count);
    if (value == 0) {
      value = piece;
    } else {
      const Node low = nodes_[value];
      value = add({.operation = Operation::joined,
                   .bytes = static_cast<std::uint8_t>(low.bytes + count),
                   .operand = {value, piece, 0},
                   .bits = low.bits | shifted_left(nodes_[piece].bits, low.bytes)});
    }
    begin = end;
  }
  return value;
}

NodeId Expressions::replaced(NodeId node, NodeId before, NodeId now) {
  constexpr std::size_t most =
      256;  // nodes above `before`: those that a thread creates between its read and its swap
  std::map<NodeId, NodeId> known{{before, now}};
  std::size_t visits = 0;
  const auto visit = [&](const auto& self, NodeId id) -> NodeId {
    if (id <= before) return id == before ? now : id;
    if (++visits > most) {
      mark_incomplete("a compare-and-swap stores a value computed from too many others");
      return id;
    }
    if (const auto found = known.find(id); found != known.end()) return found->second;
    Node copy = nodes_[id];
    bool changed = false;
    for (NodeId& operand : copy.operand) {
      const NodeId other = operand == 0 ? 0 : self(self, operand);
      changed |= other != operand;
      operand = other;
    }
    const NodeId result = changed ? add(copy) : id;
    known.emplace(id, result);
    return result;
  };
  return visit(visit, node);
}

void Expressions::decide(NodeId node) {
  if (node != 0) decisions_.push_back(node);
}

void Expressions::mark_incomplete(std::string_view why) {
  if (!incomplete_) incomplete_ = std::string(why);
}

bool is_comparison_of_its_operands(const Expressions& expressions, const Node& choice) {
  const auto [chosen, other, decider] = choice.operand;
  const auto& compared = expressions[decider].operand;
  return other != 0 && expressions[decider].operation == Operation::opaque && compared[2] == 0 &&
         std::minmax(compared[0], compared[1]) == std::minmax(chosen, other);
}

}  // namespace foldproof
