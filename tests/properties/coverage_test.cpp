// Coverage is counted from the actual contents of inputs, not from their intended contents.
#include "properties/generation/coverage.h"

#include <bit>
#include <limits>

#include "catch.h"
#include "fake_kernel.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

InputFacts facts(Element element, const std::vector<double>& values, Operator op = Operator::sum) {
  std::vector<std::byte> bytes(values.size() * size_of(element));
  for (std::size_t i = 0; i < values.size(); ++i)
    store(element, bytes, i, encode(element, number_of(values[i])));
  return facts_of(fake::contract(op, element).instances.front(), bytes);
}

std::uint64_t counted(const std::vector<CoverageGroup>& groups, const std::string& group,
                      const std::string& name) {
  for (const CoverageGroup& one : groups)
    for (const CoverageGroup::Class& row : one.classes)
      if (one.name == group && row.name == name) return row.cases;
  return 0;
}

TEST_CASE("special values are recognized in the input") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const InputFacts all = facts(Element::f32, {nan, inf, -inf, 0.0, -0.0, 0x1p-149, 1});
  CHECK((all.nan && all.infinity && all.minus_infinity && all.zero && all.minus_zero && all.subnormal));
  const InputFacts none = facts(Element::f32, {0x1p-126, -1});
  CHECK(
      !(none.nan || none.infinity || none.minus_infinity || none.zero || none.minus_zero || none.subnormal));
  // 2^-126 is normal in f32 and far below the range of f16; 2^-24 is f16's smallest subnormal.
  CHECK(facts(Element::f16, {0x1p-24}).subnormal);
  CHECK(facts(Element::e4m3, {0x1p-9}).subnormal);
  CHECK(!facts(Element::e4m3, {0x1p-6}).subnormal);
}

TEST_CASE("the condition number's decade is exact") {
  CHECK(facts(Element::f32, {1, 2}).decade == 0);                     // 1
  CHECK(facts(Element::f32, {3, 1, -2}).decade == 0);                 // 6 / 2
  CHECK(facts(Element::f32, {5.5, -4.5}).decade == 1);                // 10 / 1
  CHECK(facts(Element::f64, {1e10, -1e10, 1}).decade == 10);          // 2 * 10^10 + 1
  CHECK(facts(Element::f64, {1e300, -1e300, 1e-300}).decade == 308);  // beyond the range of double
  CHECK(facts(Element::f32, {1, -1}).decade == std::numeric_limits<int>::max());
  CHECK(!facts(Element::f32, {0, 0}).decade);
  CHECK(!facts(Element::f32, {1, std::numeric_limits<double>::infinity()}).decade);
  CHECK(!facts(Element::f32, {1, 2}, Operator::max).decade);
}

TEST_CASE("cases are counted by class") {
  Coverage coverage;
  Case c;
  c.variables = {{"count", 33}, {"block", 100}};
  c.input = {{"ill-conditioned", 40}, 1, {}, {{"nan", PlantedAt::last}, {"shuffled"}}};
  c.relation = "padded";
  c.calls = 2;
  coverage.add(c, facts(Element::f32, {1, -0.0}), true);
  c.variables = {{"count", 64}, {"block", 32}};
  c.input = {{"uniform"}};
  coverage.add(c, facts(Element::f32, {1, 2}), false);
  const std::vector<CoverageGroup> groups = coverage.groups();
  CHECK(counted(groups, "counts modulo 32", "1") == 1);
  CHECK(counted(groups, "counts modulo 32", "0") == 1);
  CHECK(counted(groups, "counts modulo 32", "2") == 0);
  CHECK(counted(groups, "counts", "one beyond whole warps") == 1);
  CHECK(counted(groups, "blocks", "a partial last warp") == 1);
  CHECK(counted(groups, "blocks", "whole warps") == 1);
  CHECK(counted(groups, "distributions", "ill-conditioned") == 1);
  CHECK(counted(groups, "transforms", "nan") == 1);
  CHECK(counted(groups, "transforms", "shuffled") == 1);
  CHECK(counted(groups, "in the inputs", "-0") == 1);
  CHECK(counted(groups, "condition of sums", "from 10^0") == 2);
  CHECK(counted(groups, "relations", "padded") == 1);
  CHECK(counted(groups, "runs", "repeated calls") == 2);
}

TEST_CASE("a report counts all cases that were checked") {
  const KernelReport report =
      fake::audit(fake::contract(Operator::sum, Element::f32),
                  [](const fake::Launch& l) { l.store(fake::random_tree_sum(l.elements<float>(), 1)); });
  std::uint64_t rests = 0;
  for (int rest = 0; rest < 32; ++rest)
    rests += counted(report.coverage, "counts modulo 32", std::to_string(rest));
  CHECK(report.cases == 40);
  CHECK(rests == 40);
  CHECK(counted(report.coverage, "in the inputs", "NaN") >= 2);
}

}  // namespace
}  // namespace foldproof
