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
    trace.results = results;
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

TEST_CASE("the index of the only element of a row is known without reading it") {
  Instance instance = fake::contract(Operator::top_k, Element::f32).instances.front();
  instance.reduction->result = ResultShape::rows;
  oracle_tests::F32Expressions e({1, 2});
  ProvenanceTrace trace;
  trace.expressions = std::move(e.all);
  trace.results = {0, 0};
  CHECK(wrong_uses(instance, {{"columns", 1}, {"rows", 2}, {"count", 2}}, trace).empty());
  trace.results = {0};
  CHECK_FALSE(wrong_uses(instance, {{"columns", 2}, {"rows", 1}, {"count", 2}}, trace).empty());
}

}  // namespace
}  // namespace foldproof
