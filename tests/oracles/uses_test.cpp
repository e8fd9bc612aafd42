// How often an element is in a result, worked out by hand for small expressions.
#include "oracles/uses.h"

#include <bit>

#include "catch.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// Expressions over four f32 elements, 1.0 each.
class Sum {
 public:
  Sum() {
    std::vector<std::byte> ones(16);
    for (std::size_t i = 0; i < 4; ++i) store(Element::f32, ones, i, std::bit_cast<std::uint32_t>(1.0f));
    all.add_input(Element::f32, ones);
  }
  NodeId make(Operation operation, NodeId a, NodeId b = 0, NodeId c = 0) {
    return all.add({.operation = operation, .element = Element::f32, .operand = {a, b, c}});
  }
  NodeId constant(float value) { return all.constant(std::bit_cast<std::uint32_t>(value), 4); }
  std::vector<std::optional<double>> times(NodeId result, Operator op = Operator::sum) const {
    std::vector<std::optional<double>> found;
    for (const Use& use : uses_of(all, std::vector{result}, op)) found.push_back(use.times);
    return found;
  }

  Expressions all;
};

using Times = std::vector<std::optional<double>>;

TEST_CASE("Kahan's loop uses every element once, although it writes each of them four times") {
  Sum sum;
  NodeId s = sum.constant(0), c = sum.constant(0);
  for (NodeId x = 1; x <= 4; ++x) {
    const NodeId y = sum.make(Operation::subtract, x, c);
    const NodeId t = sum.make(Operation::add, s, y);
    c = sum.make(Operation::subtract, sum.make(Operation::subtract, t, s), y);
    s = t;
  }
  CHECK(sum.times(s) == Times{1.0, 1.0, 1.0, 1.0});
}

TEST_CASE("A constant factor counts, and a factor that is an element leaves the question open") {
  Sum sum;
  const NodeId half = sum.make(Operation::multiply, 1, sum.constant(0.5f));
  const NodeId fused = sum.make(Operation::fused, sum.constant(3), 2, half);
  const NodeId square = sum.make(Operation::fused, 3, 3, fused);
  CHECK(sum.times(square) == Times{0.5, 3.0, std::nullopt, 0.0});
}

TEST_CASE("In a product an element counts with its exponent") {
  Sum sum;
  const NodeId square = sum.make(Operation::multiply, 1, 1);
  const NodeId all = sum.make(Operation::divide, sum.make(Operation::multiply, square, 2), 3);
  CHECK(sum.times(all, Operator::prod) == Times{2.0, 1.0, -1.0, 0.0});
}

TEST_CASE("A maximum counts comparisons, and a sum on its way leaves the question open") {
  Sum sum;
  const NodeId largest = sum.make(Operation::maximum, sum.make(Operation::maximum, 1, 2), 2);
  CHECK(sum.times(largest, Operator::max) == Times{1.0, 2.0, 0.0, 0.0});
  CHECK(sum.times(sum.make(Operation::add, largest, 3), Operator::max) ==
        Times{std::nullopt, std::nullopt, std::nullopt, 0.0});
}

TEST_CASE("What only a decision depends on counts, and is in no result") {
  Sum sum;
  sum.all.decide(sum.make(Operation::opaque, 4));
  const std::vector<Use> uses = uses_of(sum.all, std::vector<NodeId>{1}, Operator::sum);
  CHECK(uses[0].counts);
  CHECK_FALSE(uses[1].counts);
  CHECK(uses[3].counts);
  CHECK(uses[3].times == 0.0);
}

}  // namespace
}  // namespace foldproof
