// Which of several launches lost an element: three kernels that pass on sums.
#include "properties/execution/uses.h"

#include "catch.h"
#include "fake_kernel.h"
#include "oracles/expression_builder.h"

namespace foldproof {
namespace {

/// Three launches; the first and the last receive the input.
Instance three_launches() {
  Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  const LaunchContract with_input = instance.launches.front();
  LaunchContract without = with_input;
  without.arguments[0].buffer = "partials";
  instance.launches = {with_input, without, with_input};
  return instance;
}

TEST_CASE("a value left in memory is lost by the next launch, and one not left by the launch that read it") {
  // Nodes 5 (x0 + x1) and 6 (x2 + x3) are made by the first launch, node 7 (5 + 5) by the second.
  oracle_tests::F32Expressions e({1, 2, 3, 4});
  const NodeId low = e.add(1, 2), high = e.add(3, 4), next = e.add(low, low);
  ProvenanceTrace trace;
  const auto lost_by = [&](std::vector<NodeId> first, std::vector<NodeId> second) {
    trace.launches = {{7, std::move(first)}, {8, std::move(second)}, {8, {}}};
    return losing_launch(three_launches(), trace, 3);
  };
  trace.expressions = e.all;
  CHECK(lost_by({low}, {next}) == 0);
  CHECK(lost_by({low, high}, {next}) == 1);
  // Element 0 is part of a value of the second launch.
  CHECK(losing_launch(three_launches(), trace, 0) == 2);
  trace.launches[1].kept.clear();
  CHECK(losing_launch(three_launches(), trace, 0) == 1);
}

TEST_CASE("a value left by the last launch is lost by that launch") {
  oracle_tests::F32Expressions e({1, 2});
  const NodeId sum = e.add(1, 2);
  ProvenanceTrace trace;
  trace.launches = {{3, {}}, {3, {}}, {4, {sum}}};
  trace.expressions = std::move(e.all);
  CHECK(losing_launch(three_launches(), trace, 1) == 2);
}

TEST_CASE("an unused element is lost by the first launch that receives the input") {
  ProvenanceTrace trace;
  trace.launches = {{3, {}}, {3, {}}, {3, {}}};
  trace.expressions = oracle_tests::F32Expressions({1, 2}).all;
  Instance instance = three_launches();
  CHECK(losing_launch(instance, trace, 1) == 0);
  instance.launches.erase(instance.launches.begin());
  CHECK(losing_launch(instance, trace, 1) == 1);
}

TEST_CASE("an element that is only copied is lost by the launch that does not read the copy") {
  ProvenanceTrace trace;
  trace.launches = {{3, {2}}, {3, {}}, {3, {}}};
  trace.expressions = oracle_tests::F32Expressions({1, 2}).all;
  CHECK(losing_launch(three_launches(), trace, 1) == 1);
}

}  // namespace
}  // namespace foldproof
