// How often an element is in a result, worked out by hand for small expressions.
#include "oracles/uses.h"

#include "catch.h"
#include "oracles/expression_builder.h"

namespace foldproof::oracle_tests {
namespace {

using Times = std::vector<std::optional<double>>;

Times times(const F32Expressions& e, NodeId result, Operator op = Operator::sum) {
  Times found;
  for (const Use& use : uses_of(e.all, std::vector{result}, op)) found.push_back(use.times);
  return found;
}

TEST_CASE("Kahan's loop uses every element once, although each occurs four times") {
  F32Expressions e({1, 2, 3, 4});
  NodeId s = e.constant(0), c = e.constant(0);
  for (NodeId x = 1; x <= 4; ++x) {
    const NodeId y = e.subtract(x, c), t = e.add(s, y);
    c = e.subtract(e.subtract(t, s), y);
    s = t;
  }
  CHECK(times(e, s) == Times{1.0, 1.0, 1.0, 1.0});
}

TEST_CASE("A constant factor is part of the count, and a variable factor makes the count unknown") {
  F32Expressions e({1, 2, 3, 4});
  const NodeId half = e.multiply(1, e.constant(0.5f));
  const NodeId square = e.fused(3, 3, e.fused(e.constant(3), 2, half));
  CHECK(times(e, square) == Times{0.5, 3.0, std::nullopt, 0.0});
}

TEST_CASE("In a product an element counts with its exponent") {
  F32Expressions e({1, 2, 3, 4});
  CHECK(times(e, e.multiply(e.multiply(1, 1), 2), Operator::prod) == Times{2.0, 1.0, 0.0, 0.0});
}

TEST_CASE("A scaled element counts once in a maximum, unless its factor is 0 or another element") {
  F32Expressions e({1, 2, 3, 4});
  const NodeId scaled = e.multiply(1, e.constant(0.5f)), dropped = e.multiply(2, e.constant(0));
  const NodeId square = e.multiply(3, 3);
  CHECK(times(e, e.maximum(e.maximum(scaled, dropped), square), Operator::max) ==
        Times{1.0, 0.0, std::nullopt, 0.0});
}

TEST_CASE("A maximum counts comparisons, and an intermediate sum makes the count unknown") {
  F32Expressions e({1, 2, 3, 4});
  const NodeId largest = e.maximum(e.maximum(1, 2), 2);
  CHECK(times(e, largest, Operator::max) == Times{1.0, 2.0, 0.0, 0.0});
  CHECK(times(e, e.add(largest, 3), Operator::max) == Times{std::nullopt, std::nullopt, std::nullopt, 0.0});
}

TEST_CASE("An element that only affects a decision is used but not part of a result") {
  F32Expressions e({1, 2, 3, 4});
  e.all.decide(e.opaque(4));
  const std::vector<Use> uses = uses_of(e.all, std::vector<NodeId>{1}, Operator::sum);
  CHECK(uses[0].counts);
  CHECK_FALSE(uses[1].counts);
  CHECK(uses[3].counts);
  CHECK(uses[3].times == 0.0);
}

TEST_CASE("Partial results that are combined outside the kernel count together") {
  F32Expressions e({1, 2, 3, 4});
  const NodeId one = e.add(1, 2), other = e.add(2, 3);
  const std::vector<Use> uses = uses_of(e.all, std::vector{one, other}, Operator::sum);
  CHECK(uses[1].times == 2.0);
  CHECK_FALSE(uses[3].counts);
}

}  // namespace
}  // namespace foldproof::oracle_tests
