// Results that differ between runs of a case: schedules, co-running loads, launches, calls and chance.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "audited.h"
#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::audit;
using fake::Launch;
using fake::many_cases;
using fake::only_finding;
using fake::require_clean;
using fake::sum_in_a_tree;

/// The capabilities of a GPU.
constexpr Capabilities gpu_capabilities{.observes_launches = false, .obeys_schedules = false};

TEST_CASE("a result that is wrong only on the second call is reported after two calls") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].output_initial = BufferContract::Initial::zero;
  contract.instances[0].output_reset = BufferContract::Reset::once;
  const Finding finding = only_finding(
      audit(contract, [](const Launch& l) { l.store(l.stale<float>() + sum_in_a_tree<float>(l)); }));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.message.find("after 2 calls, ") == 0);
  CHECK(finding.case_text.find("calls=2") != std::string::npos);
}

TEST_CASE("bits that depend on the schedule violate only a claim of determinism") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<float>();
    if (l.schedule.order == Schedule::Order::lanes_backward) std::reverse(values.begin(), values.end());
    float sum = 0;
    for (const float x : values) sum += x;
    l.store(sum);
  };
  Contract contract = fake::contract(Operator::sum, Element::f32);
  require_clean(audit(contract, kernel));
  contract.instances[0].claims.deterministic = true;
  const Finding finding = only_finding(audit(contract, kernel, many_cases(200)));
  CHECK(finding.kind == Kind::schedule_dependent);
  CHECK(finding.case_text.find("schedule=lanes-backward") != std::string::npos);
}

TEST_CASE("on a GPU, bits that depend on the co-running load violate a claim of determinism") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].claims.deterministic = true;
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<float>();
    if (l.load == CoRunningLoad{0, true}) std::reverse(values.begin(), values.end());
    float sum = 0;
    for (const float x : values) sum += x;
    l.store(sum);
  };
  const Finding finding = only_finding(audit(contract, kernel, many_cases(200), "", gpu_capabilities));
  CHECK(finding.kind == Kind::schedule_dependent);
  CHECK(finding.case_text.find(" co_running_load=busy-kernel") != std::string::npos);
  CHECK(finding.message.find("under the co-running load busy-kernel") != std::string::npos);
  CHECK(finding.message.find("alone") != std::string::npos);
}

TEST_CASE("the instruction count of a device that does not count is unknown") {
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto sums = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  CHECK(audit(contract, sums, many_cases(8)).warp_instructions > std::uint64_t{0});
  CHECK_FALSE(audit(contract, sums, many_cases(8), "", gpu_capabilities).warp_instructions);
}

TEST_CASE("a case from another kind of device is replayed in the corresponding order") {
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  Case c;
  c.input.distribution = {"equal"};
  c.variables = {{"count", 5}, {"block", 32}};
  c.order = Schedule{Schedule::Order::warps_backward};
  std::vector<CoRunningLoad> loads;
  fake::FakeRunner runner([&](const Launch& l) { loads.push_back(l.load); }, gpu_capabilities);
  const auto image = std::make_shared<const Image>(Image{"fake.ptx", ""});
  replay_case(contract, contract.instances.front(), image, runner, c, {});
  CHECK(loads.at(0) == CoRunningLoad{tightest_occupancy_limit, true});
}

TEST_CASE("a deterministic kernel whose bits change from call to call is not reproducible") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].claims.deterministic = true;
  contract.instances[0].output_initial = BufferContract::Initial::zero;
  contract.instances[0].output_reset = BufferContract::Reset::once;
  const Finding finding = only_finding(audit(
      contract,
      [](const Launch& l) {
        auto values = l.elements<float>();
        if (l.stale<float>() != 0) std::reverse(values.begin(), values.end());
        float sum = 0;
        for (const float x : values) sum += x;
        l.store(sum);
      },
      many_cases(200)));
  CHECK(finding.kind == Kind::not_reproducible);
}

TEST_CASE("a sum whose order depends on the block violates same_for_every_launch") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].claims.deterministic = true;
  const auto kernel = [](const Launch& l) {
    l.store(fake::random_tree_sum(l.elements<float>(), static_cast<std::uint64_t>(l.block)));
  };
  require_clean(audit(contract, kernel, many_cases(200)));
  contract.instances[0].claims.same_for_every_launch = true;
  const Finding finding = only_finding(audit(contract, kernel, many_cases(200)));
  CHECK(finding.kind == Kind::not_reproducible);
  CHECK(finding.message.find(", although the contract claims that it is the same for every launch") !=
        std::string::npos);
  CHECK(finding.message.find("with block=") != std::string::npos);
}

TEST_CASE(
    "a sum in a fixed order satisfies same_for_every_launch, even if some launches give a wrong value") {
  Contract contract = fake::contract(Operator::sum, Element::i32);
  contract.instances[0].claims.deterministic = contract.instances[0].claims.same_for_every_launch = true;
  const auto sum = [](const Launch& l) {
    const auto values = l.elements<std::uint32_t>();
    return std::accumulate(values.begin(), values.end(), 0U);
  };
  require_clean(audit(
      contract, [&](const Launch& l) { l.store(sum(l)); }, many_cases(500)));
  const Finding finding = only_finding(audit(
      contract, [&](const Launch& l) { l.store(sum(l) + (l.block > 512 ? 1 : 0)); }, many_cases(500)));
  CHECK(finding.kind == Kind::wrong_value);
}

TEST_CASE("a failure that occurs only once is not reproducible and is shown without shrinking") {
  std::uint64_t launches = 0;
  const auto kernel = [&](const Launch& l) {
    const std::uint32_t wrong = ++launches == 30 ? 1 : 0;
    const auto values = l.elements<std::uint32_t>();
    l.store(std::accumulate(values.begin(), values.end(), wrong));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::i32), kernel);
  const Finding& finding = only_finding(report);
  CHECK(finding.kind == Kind::not_reproducible);
  CHECK(finding.severity == Severity::error);
  CHECK(finding.message.find(
            "the case does not fail in every run of the same job: the first run gave wrong-value (") == 0);
  CHECK(finding.message.find(", and a later one no finding with the result ") != std::string::npos);
  CHECK(finding.case_text.find("x[") == std::string::npos);
  CHECK(launches < 200);  // no shrinking step was accepted
}

TEST_CASE("both results of a failure that does not occur again are reported") {
  bool has_failed = false;
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto kernel = [&](const Launch& l) {
    const bool fails = l.count == 2 && !std::exchange(has_failed, true);
    l.store(fails ? 5.0F : sum_in_a_tree<float>(l));
  };
  fake::FakeRunner runner(kernel);
  Case c;
  c.input = {{"zeros"}, 0, {{0, "0x1p+0"}}};
  c.variables = {{"count", 2}, {"block", 32}};
  const KernelReport report =
      replay_case(contract, contract.instances.front(), std::make_shared<const Image>(), runner, c, {});
  CHECK(only_finding(report).kind == Kind::not_reproducible);
  CHECK(report.findings[0].message.find("with the result 5, and a later one no finding with the result 1") !=
        std::string::npos);
}

TEST_CASE("if runs may differ, a smaller case must fail twice") {
  // Fails always with 64 or more elements, and with fewer only in its first run.
  std::map<std::size_t, int> runs;
  const auto kernel = [&](const Launch& l) {
    auto values = l.elements<std::uint32_t>();
    const bool fails = values.size() >= 64 || (values.size() >= 8 && ++runs[values.size()] == 1);
    l.store(std::accumulate(values.begin(), values.end(), fails ? 1U : 0U));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::i32), kernel);
  const auto lasting = std::ranges::find(report.findings, Kind::wrong_value, &Finding::kind);
  REQUIRE(lasting != report.findings.end());
  CHECK(lasting->case_text.find("count=64 ") == 0);
}

}  // namespace
}  // namespace foldproof
