// Expressions that are evaluated in f32 on this machine while a test builds them.
#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "oracles/expressions.h"
#include "oracles/number.h"

namespace foldproof::oracle_tests {

class F32Expressions {
 public:
  explicit F32Expressions(const std::vector<float>& inputs) {
    std::vector<std::byte> bytes(inputs.size() * sizeof(float));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      store(Element::f32, bytes, i, std::bit_cast<std::uint32_t>(inputs[i]));
    all.add_input(Element::f32, bytes);
  }

  float value(NodeId id) const { return std::bit_cast<float>(static_cast<std::uint32_t>(all[id].bits)); }
  NodeId constant(float value) { return all.constant(std::bit_cast<std::uint32_t>(value), 4); }
  NodeId add(NodeId a, NodeId b) { return make(Operation::add, value(a) + value(b), a, b); }
  NodeId subtract(NodeId a, NodeId b) { return make(Operation::subtract, value(a) - value(b), a, b); }
  NodeId multiply(NodeId a, NodeId b) { return make(Operation::multiply, value(a) * value(b), a, b); }
  NodeId fused(NodeId a, NodeId b, NodeId c) {
    return make(Operation::fused, std::fma(value(a), value(b), value(c)), a, b, c);
  }
  NodeId maximum(NodeId a, NodeId b) { return make(Operation::maximum, std::fmax(value(a), value(b)), a, b); }
  /// A value that depends on the operands in an unspecified way.
  NodeId opaque(NodeId a, NodeId b = 0) { return make(Operation::opaque, 0, a, b); }

  /// Elements 1 … n, combined one after another.
  NodeId in_sequence(NodeId first, NodeId last) {
    NodeId sum = first;
    for (NodeId x = first + 1; x <= last; ++x) sum = add(sum, x);
    return sum;
  }
  /// Combines slot i with slot i + half until one slot is left.
  NodeId folded(std::vector<NodeId> slots) {
    while (slots.size() > 1) {
      const std::size_t half = (slots.size() + 1) / 2;
      for (std::size_t i = 0; i + half < slots.size(); ++i) slots[i] = add(slots[i], slots[i + half]);
      slots.resize(half);
    }
    return slots[0];
  }
  /// Combines neighbours first.
  NodeId pairwise(std::vector<NodeId> slots) {
    for (; slots.size() > 1; slots.resize((slots.size() + 1) / 2))
      for (std::size_t i = 0; i < slots.size(); i += 2)
        slots[i / 2] = i + 1 < slots.size() ? add(slots[i], slots[i + 1]) : slots[i];
    return slots[0];
  }
  /// `count` elements from `first`.
  static std::vector<NodeId> elements(NodeId first, std::size_t count, NodeId stride = 1) {
    std::vector<NodeId> all;
    for (std::size_t k = 0; k < count; ++k) all.push_back(first + static_cast<NodeId>(k) * stride);
    return all;
  }

  Expressions all;

 private:
  NodeId make(Operation operation, float result, NodeId a, NodeId b = 0, NodeId c = 0) {
    return all.add({.operation = operation,
                    .element = Element::f32,
                    .operand = {a, b, c},
                    .bits = std::bit_cast<std::uint32_t>(result)});
  }
};

}  // namespace foldproof::oracle_tests
