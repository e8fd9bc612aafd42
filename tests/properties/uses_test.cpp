// Findings about elements that are part of a result but do not belong there.
#include "properties/execution/uses.h"

#include "catch.h"
#include "fake_kernel.h"
#include "oracles/expression_builder.h"

namespace foldproof {
namespace {

TEST_CASE("a prefix may use only its own elements, and an exclusive prefix not its last one") {
  Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  instance.reduction->result = ResultShape::scan;
  instance.reduction->scan = ScanKind::exclusive;
  oracle_tests::F32Expressions e({1, 2, 3});
  const NodeId two = e.add(1, 2), three = e.add(two, 3);
  ProvenanceTrace trace;
  trace.expressions = std::move(e.all);
  const auto message = [&](const std::vector<NodeId>& results) {
    trace.results = {results};
    const auto wrong = wrong_uses(instance, {{"count", 3}}, trace);
    return wrong.empty() ? "" : wrong.front().message;
  };
  CHECK(message({0, 1, two}).empty());
  CHECK(message({1, 1, two}) ==
        "element 0 is part of result 0, which must combine no element; the input has 3 elements");
  CHECK(message({0, two, two}) ==
        "element 1 is part of result 1, which must combine only element 0; the input has 3 elements");
  CHECK(message({0, 1, three}) ==
        "element 2 is part of result 2, which must combine only elements 0 to 1; the input has 3 elements");
}

TEST_CASE("the elements of a column are named by their distance") {
  Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  instance.reduction->result = ResultShape::columns;
  oracle_tests::F32Expressions e({1, 2, 3, 4});
  ProvenanceTrace trace;
  trace.results = {{e.add(e.add(1, 3), 2), e.add(2, 4)}};
  trace.expressions = std::move(e.all);
  const auto wrong = wrong_uses(instance, {{"count", 4}, {"columns", 2}}, trace);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].message ==
        "element 1 is part of result 0, which must combine only the elements whose index is 0 modulo 2; the "
        "input has 4 elements");
}

TEST_CASE("an element whose factor is 0 need not be used, nor any if a factor is NaN") {
  Instance instance = fake::contract(Operator::dot, Element::f32).instances.front();
  oracle_tests::F32Expressions e({1, 2});
  ProvenanceTrace trace;
  trace.results = {{e.multiply(1, e.constant(3))}};
  trace.expressions = std::move(e.all);
  const auto messages = [&](std::vector<float> factors) {
    const auto bytes = std::as_bytes(std::span(factors));
    Operands operands;
    operands.set(Role::second, {Element::f32, bytes});
    return wrong_uses(instance, {{"count", 2}}, trace, operands).size();
  };
  CHECK(messages({3, 4}) == 1);
  CHECK(messages({3, 0}) == 0);
  CHECK(messages({NAN, 4}) == 0);
}

TEST_CASE("each additional output is examined") {
  Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  instance.claims.height = Expression::constant(2);
  AdditionalOutput additional{"most", *instance.reduction};
  additional.reduction.op = Operator::max;
  instance.additional_outputs = {additional};
  instance.buffers.emplace_back().name = "most";
  oracle_tests::F32Expressions e({1, 2, 3});
  const NodeId sum = e.add(e.add(1, 2), 3), most = e.maximum(e.maximum(1, 2), 3), two = e.maximum(1, 2);
  const NodeId high = e.maximum(e.maximum(most, 1), 2);
  ProvenanceTrace trace;
  trace.expressions = std::move(e.all);
  const Variables variables{{"count", 3}};
  const auto use_of = [&](NodeId result) {
    trace.results = {{sum}, {result}};
    const auto wrong = wrong_uses(instance, variables, trace);
    return wrong.empty() ? "" : wrong.front().message;
  };
  CHECK(use_of(most).empty());
  CHECK(use_of(two) ==
        "in the buffer \"most\", element 2 is not part of the result; the input has 3 elements");
  CHECK(use_of(high).empty());
  instance.claims.uses_every_input_once = true;
  CHECK(use_of(high) ==
        "in the buffer \"most\", elements 0 and 1 are part of the result more than once; "
        "the input has 3 elements");

  trace.results = {{sum}, {most}};
  CHECK_FALSE(check_height(instance, variables, trace).wrong);
  trace.results = {{sum}, {high}};
  CHECK(check_height(instance, variables, trace).wrong ==
        "the contract claims at most 2 comparisons per element (\"2\"), but in the buffer \"most\", "
        "element 0 goes through 4");
}

TEST_CASE("the index of the only element of a row is known without reading it") {
  Instance instance = fake::contract(Operator::top_k, Element::f32).instances.front();
  instance.reduction->result = ResultShape::rows;
  oracle_tests::F32Expressions e({1, 2});
  ProvenanceTrace trace;
  trace.expressions = std::move(e.all);
  trace.results = {{0, 0}};
  CHECK(wrong_uses(instance, {{"columns", 1}, {"rows", 2}, {"count", 2}}, trace).empty());
  trace.results = {{0}};
  CHECK_FALSE(wrong_uses(instance, {{"columns", 2}, {"rows", 1}, {"count", 2}}, trace).empty());
  instance.reduction->op = Operator::argmin;
  instance.reduction->result = ResultShape::columns;
  trace.results = {{0, 0}};
  CHECK(wrong_uses(instance, {{"columns", 2}, {"rows", 1}, {"count", 2}}, trace).empty());
}

}  // namespace
}  // namespace foldproof
