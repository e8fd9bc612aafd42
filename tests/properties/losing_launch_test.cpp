// Which of several launches is told to have lost an element: three kernels that hand on sums.
#include "properties/execution/uses.h"

#include "catch.h"
#include "fake_kernel.h"
#include "oracles/expression_builder.h"

namespace foldproof {
namespace {

/// Three launches, of which the first and the last are given the input.
Instance three_launches() {
  Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  const LaunchContract with_input = instance.launches.front();
  LaunchContract without = with_input;
  without.arguments[0].buffer = "partials";
  instance.launches = {with_input, without, with_input};
  return instance;
}

TEST_CASE(
    "what is left in memory and not read is lost by the launch behind, what is not left by the one that read "
    "it") {
  // 5: x0 + x1 and 6: x2 + x3, by the first launch; 7: 5 + 5, by the second.
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
  // Of element 0 there is something in the second launch.
  CHECK(losing_launch(three_launches(), trace, 0) == 2);
  trace.launches[1].kept.clear();
  CHECK(losing_launch(three_launches(), trace, 0) == 1);
}

TEST_CASE("what the last launch left is its own loss") {
  oracle_tests::F32Expressions e({1, 2});
  const NodeId sum = e.add(1, 2);
  ProvenanceTrace trace;
  trace.launches = {{3, {}}, {3, {}}, {4, {sum}}};
  trace.expressions = std::move(e.all);
  CHECK(losing_launch(three_launches(), trace, 1) == 2);
}

TEST_CASE("an element of which nothing was made is lost by the first launch that is given the input") {
  ProvenanceTrace trace;
  trace.launches = {{3, {}}, {3, {}}, {3, {}}};
  trace.expressions = oracle_tests::F32Expressions({1, 2}).all;
  Instance instance = three_launches();
  CHECK(losing_launch(instance, trace, 1) == 0);
  instance.launches.erase(instance.launches.begin());
  CHECK(losing_launch(instance, trace, 1) == 1);
}

TEST_CASE("an element that is only moved to other memory is lost by the launch that does not read it there") {
  ProvenanceTrace trace;
  trace.launches = {{3, {2}}, {3, {}}, {3, {}}};
  trace.expressions = oracle_tests::F32Expressions({1, 2}).all;
  CHECK(losing_launch(three_launches(), trace, 1) == 1);
}

}  // namespace
}  // namespace foldproof
