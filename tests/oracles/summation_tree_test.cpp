// Summation trees: their height, their description, their text, and their rounding errors.
#include "oracles/summation_tree.h"

#include <random>

#include "catch.h"
#include "oracles/expression_builder.h"
#include "oracles/replay.h"
#include "oracles/rounding_path.h"
#include "oracles/sum_checkers.h"

namespace foldproof::oracle_tests {
namespace {

std::vector<float> ones(std::size_t count) { return std::vector<float>(count, 1); }

SummationTree tree_of(const F32Expressions& e, NodeId result, Operator op = Operator::sum) {
  auto tree = SummationTree::of(e.all, result, op);
  REQUIRE(std::holds_alternative<SummationTree>(tree));
  return std::get<SummationTree>(tree);
}

/// The elements from left to right.
std::vector<std::uint32_t> leaves_in_order(const SummationTree& tree) {
  std::vector<std::uint32_t> order, ahead{static_cast<std::uint32_t>(tree.vertices().size() - 1)};
  while (!ahead.empty()) {
    const SummationTree::Vertex& vertex = tree.vertices()[ahead.back()];
    ahead.pop_back();
    if (vertex.is_leaf())
      order.push_back(vertex.element);
    else
      ahead.insert(ahead.end(), {vertex.right, vertex.left});
  }
  return order;
}

std::string shape(const F32Expressions& e, NodeId result) { return shape_of(tree_of(e, result)); }

TEST_CASE("A sequential sum of n elements has height n - 1") {
  F32Expressions e(ones(9));
  const NodeId sum = e.in_sequence(1, 9);
  CHECK(tree_of(e, sum).root().height == 8);
  CHECK(shape(e, sum) == "a sequential fold of 9 (contiguous)");
  CHECK(leaves_in_order(tree_of(e, sum)) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("Folding halves is strided, adding neighbours is pairwise, and both have height log2 n") {
  F32Expressions e(ones(32));
  const NodeId strided = e.folded(F32Expressions::elements(1, 32));
  const NodeId pairwise = e.pairwise(F32Expressions::elements(1, 32));
  CHECK(shape(e, strided) == "a strided fold of 32");
  CHECK(shape(e, pairwise) == "a pairwise fold of 32");
  CHECK(tree_of(e, strided).root().height == 5);
  CHECK(tree_of(e, pairwise).root().height == 5);
}

TEST_CASE("Odd counts have the same descriptions") {
  F32Expressions e(ones(13));
  CHECK(shape(e, e.folded(F32Expressions::elements(1, 13))) == "a strided fold of 13");
  CHECK(shape(e, e.pairwise(F32Expressions::elements(1, 13))) == "a pairwise fold of 13");
}

TEST_CASE("Levels are described from the leaves: threads, then warps, then the block") {
  F32Expressions e(ones(256));
  std::vector<NodeId> warps;
  for (NodeId w = 0; w < 2; ++w) {
    std::vector<NodeId> threads;
    for (NodeId t = 0; t < 32; ++t) {  // each thread adds four elements, 64 apart
      const std::vector<NodeId> own = F32Expressions::elements(1 + 32 * w + t, 4, 64);
      threads.push_back(e.add(e.add(e.add(own[0], own[1]), own[2]), own[3]));
    }
    warps.push_back(e.folded(threads));
  }
  CHECK(shape(e, e.folded(warps)) ==
        "sequential folds of 4 (stride 64); then strided folds of 32 (as produced by warp shuffles); then a "
        "sequential fold of 2 (stride 32)");
}

TEST_CASE("Initial zeros are not leaves") {
  F32Expressions e(ones(2));
  const SummationTree tree = tree_of(e, e.add(e.add(e.constant(0), 1), 2));
  CHECK(tree.root().leaves == 2);
  CHECK(tree.root().height == 1);
}

TEST_CASE("Products added by an fma are leaves of a fused tree") {
  F32Expressions e(ones(3));
  const NodeId two = e.constant(2);
  const NodeId sum = e.fused(two, 3, e.fused(two, 2, e.fused(two, 1, e.constant(0))));
  CHECK(shape(e, sum) == "fused, a sequential fold of 3 (contiguous)");
}

TEST_CASE("An element times a constant is a leaf of that element, regardless of the instruction") {
  F32Expressions e(ones(4));
  const NodeId product = e.multiply(e.constant(2), 1), converted = e.multiply(2, e.constant(0.5f));
  const SummationTree tree =
      tree_of(e, e.fused(4, e.constant(-3), e.fused(e.constant(1), 3, e.add(product, converted))));
  std::vector<double> factors;
  for (const auto& vertex : tree.vertices())
    if (vertex.is_leaf()) factors.push_back(vertex.factor);
  CHECK(leaves_in_order(tree) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(factors == std::vector<double>{2, 0.5, 1, -3});
}

TEST_CASE("A partial sum added by an fma after multiplication by a constant keeps its own tree") {
  // As in a lane whose value is multiplied by 1 or 0: fma(x0 + x1, 1, x2 + x3).
  F32Expressions e(ones(4));
  const NodeId sum = e.fused(e.add(1, 2), e.constant(1), e.add(3, 4));
  CHECK(tree_of(e, sum).root().leaves == 4);
  CHECK(tree_of(e, sum).root().height == 2);
  CHECK(leaves_in_order(tree_of(e, sum)) == std::vector<std::uint32_t>{2, 3, 0, 1});
  CHECK(tree_of(e, e.multiply(e.add(1, 2), e.constant(0.5f))).root().leaves == 2);
}

TEST_CASE("Three neighbours added in sequence are a run and not a fold") {
  F32Expressions e(ones(24));
  std::vector<NodeId> threads;
  for (NodeId t = 0; t < 8; ++t) threads.push_back(e.in_sequence(1 + 3 * t, 3 + 3 * t));
  CHECK(shape(e, e.pairwise(threads)) == "sequential folds of 3 (contiguous); then a pairwise fold of 8");
}

TEST_CASE("No tree exists if a value is used twice or the result does not depend on the input") {
  F32Expressions e(ones(2));
  const NodeId sum = e.add(1, 2);
  CHECK(std::get<std::string>(SummationTree::of(e.all, e.add(sum, sum), Operator::sum)) ==
        "an intermediate value is used more than once, so the summation is not a tree");
  CHECK(std::get<std::string>(SummationTree::of(e.all, 0, Operator::sum)) ==
        "the result does not depend on any element of the input");
}

TEST_CASE("Additions are counted on the longest path, except additions of constant zeros") {
  F32Expressions e(ones(3));
  const NodeId sum = e.add(e.add(e.add(1, e.constant(0)), 2), 3);
  CHECK(combinations(e.all, std::vector{sum}, Operator::sum).by_element ==
        std::vector<std::uint64_t>{2, 2, 1});
}

TEST_CASE("Products count multiplications except by one, and extremes count comparisons") {
  F32Expressions e(ones(4));
  const NodeId product = e.multiply(e.multiply(e.multiply(e.constant(1), 1), 2), 3);
  CHECK(combinations(e.all, std::vector{product}, Operator::prod).by_element ==
        std::vector<std::uint64_t>{2, 2, 1, 0});
  CHECK(combinations(e.all, std::vector{product}, Operator::sum).by_element ==
        std::vector<std::uint64_t>(4, 0));

  // The last comparison takes two instructions.
  const NodeId largest = e.maximum(e.maximum(e.maximum(e.constant(-INFINITY), 1), 2), 3);
  const NodeId chosen = e.all.add({.operation = Operation::choice,
                                   .element = Element::f32,
                                   .operand = {4, largest, e.opaque(largest, 4)}});
  for (const Operator op : {Operator::min, Operator::max})
    CHECK(combinations(e.all, std::vector{chosen}, op).by_element == std::vector<std::uint64_t>{3, 3, 2, 1});
}

TEST_CASE("A root combines nothing, and bitwise operations are the opaque values of two operands") {
  F32Expressions e(ones(3));
  const NodeId root = e.all.opaque(std::array{e.in_sequence(1, 3)}, 0, 4);
  const Combinations of_root = combinations(e.all, std::vector{root}, Operator::norm);
  CHECK(of_root.by_element == std::vector<std::uint64_t>{2, 2, 1});
  CHECK(of_root.all_known);

  const NodeId both =
      e.all.opaque(std::array{e.all.opaque(std::array<NodeId, 2>{1, 2}, 0, 4), NodeId{3}}, 0, 4);
  for (const Operator op : {Operator::bit_and, Operator::bit_or, Operator::bit_xor})
    CHECK(combinations(e.all, std::vector{both}, op).by_element == std::vector<std::uint64_t>{2, 2, 1});
}

TEST_CASE("It is known whether all combinations were counted") {
  F32Expressions e(ones(4));
  const NodeId unknown = e.all.opaque(std::array<NodeId, 2>{1, 2}, 0, 4);
  CHECK_FALSE(combinations(e.all, std::vector{unknown}, Operator::sum).all_known);
  CHECK_FALSE(
      combinations(e.all, std::vector{e.all.opaque(std::array<NodeId, 3>{1, 2, 3}, 0, 4)}, Operator::bit_or)
          .all_known);
  CHECK(combinations(e.all, std::vector{e.maximum(1, 2)}, Operator::max).all_known);

  const auto chosen_from = [&](NodeId other, NodeId decider) {
    return e.all.add(
        {.operation = Operation::choice, .element = Element::f32, .operand = {1, other, decider}});
  };
  const NodeId by_comparison = chosen_from(2, e.opaque(1, 2)), otherwise = chosen_from(2, e.opaque(3, 4)),
               past_the_end = chosen_from(e.constant(0), e.opaque(3, 4)),
               itself = chosen_from(1, e.opaque(3, 4));
  CHECK(combinations(e.all, std::vector{by_comparison}, Operator::max).all_known);
  CHECK_FALSE(combinations(e.all, std::vector{otherwise}, Operator::max).all_known);
  CHECK(combinations(e.all, std::vector{past_the_end}, Operator::max).all_known);
  CHECK(combinations(e.all, std::vector{itself}, Operator::max).all_known);
  // An unknown function of a comparison need not compare, such as a conjunction with a condition that is
  // false.
  const NodeId in_part = chosen_from(2, e.all.opaque(std::array{e.opaque(1, 2)}, 0, 1));
  CHECK_FALSE(combinations(e.all, std::vector{in_part}, Operator::max).all_known);
}

TEST_CASE("The running bound is half an ulp of every intermediate value") {
  // 1 + 2^-24 rounds to 1, with half an ulp of 2^-24; then 1 + 1 = 2, with half an ulp of 2^-23.
  F32Expressions e({1, 0x1p-24f, 1});
  const NodeId sum = e.in_sequence(1, 3);
  CHECK(running_bound(e.all, std::vector{sum}) == Dyadic(3, -24));
}

TEST_CASE("A sum in a less precise type than the claimed accumulator's has no larger running bound") {
  // As above, but f64 is claimed: 2^-29 of half an ulp of f32 for 1 + 2^-24. The output may be f32, so the
  // last addition has half an ulp of 2.
  F32Expressions e({1, 0x1p-24f, 1});
  const std::vector sum{e.in_sequence(1, 3)};
  const auto uses = uses_of_nodes(e.all, sum, Operator::sum);
  CHECK(running_bound(e.all, sum, uses, Element::f32) == Dyadic(3, -24));
  CHECK(running_bound(e.all, sum, uses, Element::f16) == Dyadic(3, -24));
  CHECK(running_bound(e.all, sum, uses, Element::f64) == Dyadic(1, -23) + Dyadic(1, -53));
}

TEST_CASE("A correctly rounded sum is right even if its last addition is in the output's type") {
  const auto is_right = [](const std::vector<float>& values) {
    F32Expressions e(values);
    const NodeId sum = e.in_sequence(1, static_cast<NodeId>(values.size()));
    const float result = e.value(sum);
    const Arithmetic arithmetic{.accumulator = Element::f64};
    const auto checked =
        checked_by_tree(arithmetic, e.all, std::vector{sum}, std::as_bytes(std::span(&result, 1)),
                        std::as_bytes(std::span(values)));
    return checked && checked->ok;
  };
  CHECK(is_right({1, 0x1p-24f}));                  // 1 + 2^-24 lies halfway between 1 and the next f32
  CHECK_FALSE(is_right({1, 0x1p-24f, 0x1p-24f}));  // 1 instead of 1 + 2^-23, which is an f32
}

TEST_CASE("Kahan's sum has a running bound of a few ulps of the result for any length") {
  std::vector<float> values(4096);
  std::mt19937 random(1);
  for (float& x : values) x = std::uniform_real_distribution<float>(0, 1)(random);
  F32Expressions e(values);
  NodeId s = e.constant(0), c = e.constant(0);
  Dyadic exact;
  for (NodeId x = 1; x <= values.size(); ++x) {
    const NodeId y = e.subtract(x, c), t = e.add(s, y);
    c = e.subtract(e.subtract(t, s), y);
    s = t;
    exact = exact + Dyadic(number_of(e.value(x)));
  }
  const auto bound = running_bound(e.all, std::vector{s});
  REQUIRE(bound);
  const Dyadic error = abs(Dyadic(number_of(e.value(s))) - exact);
  CHECK(error <= *bound);
  CHECK(*bound < Dyadic(3, 0) * ulp(Element::f32, exact));
}

TEST_CASE("No sum in any order violates its running bound") {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> values(2 + random() % 40);
    Dyadic exact;
    for (float& x : values) {
      x = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random),
                     static_cast<int>(random() % 60) - 30);
      if (random() % 8 == 0) x = std::ldexp(static_cast<float>(random() % 4096), -149);
      exact = exact + Dyadic(number_of(x));
    }
    F32Expressions e(values);
    std::vector<NodeId> left = F32Expressions::elements(1, values.size());
    while (left.size() > 1) {
      std::shuffle(left.begin(), left.end(), random);
      const NodeId b = left.back();
      left.pop_back();
      left.back() = e.add(left.back(), b);
    }
    const auto bound = running_bound(e.all, left);
    REQUIRE(bound);
    if (abs(Dyadic(number_of(e.value(left[0]))) - exact) > *bound) FAIL("round " << round);
  }
}

TEST_CASE("Values that are not finite or unknown have no running bound") {
  F32Expressions e({3e38f, 3e38f, 1});
  CHECK_FALSE(running_bound(e.all, std::vector{e.add(1, 2)}));
  CHECK_FALSE(running_bound(e.all, std::vector{e.add(e.opaque(3), 3)}));
}

TEST_CASE("A replay agrees with this machine's arithmetic and finds the first wrong value") {
  F32Expressions e({1, 0x1p-24f, 0x1.8p-23f, 3e38f, -0.0f, 0x1p-149f});
  const NodeId sum = e.add(e.add(1, 2), 3), product = e.multiply(sum, 3);
  e.fused(4, 4, e.add(5, 5));
  e.subtract(e.multiply(6, 3), e.maximum(5, 6));
  CHECK(replay(e.all).operations == 8);
  CHECK_FALSE(replay(e.all).differs);
  e.all.set_value(product, e.all[product].bits + 1);
  CHECK(replay(e.all).differs == product);
}

TEST_CASE("A saturated value has no running bound") {
  F32Expressions e({1, 2});
  const NodeId sum = e.add(1, 2);
  Node stored{
      .operation = Operation::convert, .element = Element::e4m3, .source = Element::f32, .saturates = true};
  stored.operand = {sum, 0, 0};
  stored.bytes = 1;
  stored.bits = 0x44;  // 3
  CHECK(running_bound(e.all, std::vector{e.all.add(stored)}));
  stored.bits = 0x7e;  // 448, the largest
  CHECK_FALSE(running_bound(e.all, std::vector{e.all.add(stored)}));
}

TEST_CASE(
    "A maximum in two instructions is a combination, and any other selection between two values ends the "
    "tree") {
  F32Expressions e({1, 2, 3});
  const auto choice = [&](NodeId chosen, NodeId other, NodeId decider) {
    return e.all.add(
        {.operation = Operation::choice, .element = Element::f32, .operand = {chosen, other, decider}});
  };
  const SummationTree largest = tree_of(e, choice(2, 1, e.opaque(1, 2)), Operator::max);
  CHECK(largest.root().leaves == 2);
  CHECK(tree_of(e, choice(2, 1, e.opaque(3)), Operator::max).root().is_leaf());
}

}  // namespace
}  // namespace foldproof::oracle_tests
