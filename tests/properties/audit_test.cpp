// Audits of reductions with known faults: each is found and shrunk to a readable case, and correct reductions
// are never rejected.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <thread>
#include <utility>

#include "base/interrupts.h"
#include "catch.h"
#include "devices/undefined_fill.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::audit;
using fake::Launch;

template <typename T>
T sum_in_a_tree(const Launch& launch) {
  return fake::random_tree_sum(launch.elements<T>(),
                               launch.count * 2654435761u + static_cast<std::uint64_t>(launch.block));
}

float maximum_from(const Launch& launch, float start) {
  float result = start;
  for (const float x : launch.elements<float>())
    result = std::isnan(x) || std::isnan(result) ? NAN : std::max(result, x);
  return result;
}

AuditOptions many_cases(std::uint64_t cases) {
  AuditOptions options;
  options.cases = cases;
  options.largest_count = 4096;
  return options;
}

const Finding& only_finding(const KernelReport& report) {
  INFO(report.kernel << " " << report.reason);
  for (const Finding& finding : report.findings)
    UNSCOPED_INFO(name(finding.kind) << ": " << finding.message << " | " << finding.case_text);
  REQUIRE(report.findings.size() == 1);
  return report.findings.front();
}

void require_clean(const KernelReport& report) {
  for (const Finding& finding : report.findings)
    UNSCOPED_INFO(name(finding.kind) << ": " << finding.message << " | " << finding.case_text);
  REQUIRE(report.findings.empty());
  REQUIRE(report.verdict == Verdict::clean);
}

TEST_CASE("correct sums in any order are never rejected") {
  require_clean(audit(
      fake::contract(Operator::sum, Element::f32), [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); },
      many_cases(3000)));
  require_clean(audit(
      fake::contract(Operator::sum, Element::f64), [](const Launch& l) { l.store(sum_in_a_tree<double>(l)); },
      many_cases(3000)));
  require_clean(audit(
      fake::contract(Operator::sum, Element::i32),
      [](const Launch& l) { l.store(sum_in_a_tree<std::uint32_t>(l)); }, many_cases(1000)));
}

TEST_CASE("a correct maximum is never rejected") {
  const auto kernel = [](const Launch& l) { l.store(maximum_from(l, -INFINITY)); };
  require_clean(audit(fake::contract(Operator::max, Element::f32), kernel, many_cases(2000)));
}

TEST_CASE("a correct product is never rejected") {
  const auto kernel = [](const Launch& l) {
    float product = 1;
    for (const float x : l.elements<float>()) product *= x;
    l.store(product);
  };
  require_clean(audit(fake::contract(Operator::prod, Element::f32), kernel, many_cases(2000)));
}

TEST_CASE("a sum that loses its last element is a wrong value, shown with a single element") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<float>();
    if (!values.empty()) values.pop_back();
    l.store(fake::random_tree_sum(values, 1));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  const Finding& finding = only_finding(report);
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text == "count=1 block=1 zeros seed=0 schedule=converging x[0]=0x1p+0");
  CHECK(finding.message.find("the result is 0x0p+0 (0) but the sum is 0x1p+0 (1)") == 0);
  CHECK(finding.message.find("the input is 0x1p+0 (1)") != std::string::npos);
}

TEST_CASE("an uninitialized output is reported as a wrong value after the undefined behaviour") {
  const auto kernel = [](const Launch& l) {
    const std::vector<float> values = l.elements<float>();
    const std::uint32_t poison = UndefinedFill::poison;
    if (values.empty()) return l.store(poison);
    l.store(l.stale<float>() + fake::random_tree_sum(values, 1));
    Finding found;
    found.kind = Kind::uninitialized_read;
    l.findings->push_back(found);
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  REQUIRE(report.findings.size() >= 2);
  CHECK(report.findings[0].kind == Kind::uninitialized_read);
  CHECK(std::ranges::any_of(report.findings, [](const Finding& finding) {
    return finding.message.find(
               "; the input is empty; element 0 of the output was never written; a kernel that accumulates "
               "into its output needs `initial` in [output]") != std::string::npos;
  }));
}

TEST_CASE("an output that is not written is wrong although it holds a NaN and should be one") {
  const auto kernel = [](const Launch& l) {
    const float sum = fake::random_tree_sum(l.elements<float>(), 1);
    if (std::isnan(sum)) return l.store(std::uint32_t{UndefinedFill::poison});
    l.store(sum);
  };
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances.at(0).claims.nan = NanPolicy::propagate;
  const KernelReport report = audit(contract, kernel);
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings[0].kind == Kind::wrong_value);
  CHECK(report.findings[0].message.find("the result is right only because of what the output held before") ==
        0);
  CHECK(report.findings[0].message.find("; element 0 of the output was never written") != std::string::npos);
}

TEST_CASE("an element counted twice after the first warp is shrunk to the smallest count that shows it") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<std::int32_t>();
    if (values.size() > 32) values.push_back(values[32]);
    l.store(static_cast<std::int32_t>(
        fake::random_tree_sum(std::vector<std::uint32_t>(values.begin(), values.end()), 1)));
  };
  const Finding finding = only_finding(audit(fake::contract(Operator::sum, Element::i32), kernel));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text == "count=33 block=1 zeros seed=0 schedule=converging x[32]=0x1");
}

TEST_CASE("an interrupt while a finding is confirmed or shrunk does not lose the finding") {
  // The first case with elements takes at most 10 launches; confirming and shrinking it takes more than 60.
  for (std::uint64_t last = 11; last < 60; ++last) {
    INFO("interrupted at launch " << last << " with elements");
    std::uint64_t launches = 0;
    const auto kernel = [&](const Launch& l) {
      if (l.count != 0 && ++launches > last) throw Interrupted{};
      l.store(l.count == 0 ? 0.0F : sum_in_a_tree<float>(l) + 1);
    };
    CHECK(only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel)).kind == Kind::wrong_value);
  }
}

TEST_CASE("a maximum that starts from zero is found with one negative element") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::max, Element::f32),
                         [](const Launch& l) { l.store(l.count == 0 ? -INFINITY : maximum_from(l, 0)); }));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text.find("count=1 ") == 0);
  CHECK(finding.message.find("x[0]") == std::string::npos);
}

TEST_CASE("a maximum that starts from the lowest finite value is found with an input of infinities") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::max, Element::f32), [](const Launch& l) {
        l.store(l.count == 0 ? -INFINITY : maximum_from(l, std::numeric_limits<float>::lowest()));
      }));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text.find("count=1 ") == 0);
}

TEST_CASE("an error below a tolerance of 1e-5 is found") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::sum, Element::f32),
                         [](const Launch& l) { l.store(sum_in_a_tree<float>(l) * (1 + 0x1p-17f)); }));
  CHECK(finding.kind == Kind::wrong_value);
}

TEST_CASE("a fault of blocks that are not powers of two is shrunk to such a block") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<float>();
    if (l.block >= 32 && (l.block & (l.block - 1)) != 0 && values.size() > 20) values.resize(20);
    l.store(fake::random_tree_sum(values, 1));
  };
  const Finding finding = only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel));
  CHECK(finding.case_text.find("count=21 block=33 ") == 0);
}

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

/// The capabilities of a GPU.
constexpr Capabilities gpu_capabilities{.observes_launches = false, .obeys_schedules = false};

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
  c.input.distribution = "equal";
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
  CHECK(finding.message.find(", although the contract claims the same for every launch") !=
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
  c.input = {"zeros", 0, {{0, "0x1p+0"}}};
  c.variables = {{"count", 2}, {"block", 32}};
  const KernelReport report =
      replay_case(contract, contract.instances.front(), std::make_shared<const Image>(), runner, c, {});
  CHECK(only_finding(report).kind == Kind::not_reproducible);
  CHECK(report.findings[0].message.find(
            "with the result 0x1.4p+2 (5), and a later one no finding with the result 0x1p+0 (1)") !=
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

TEST_CASE("values are shortened to the fewest digits that still fail") {
  const auto kernel = [](const Launch& l) {
    float sum = 0;
    for (const float x : l.elements<float>())
      if (!(std::abs(x) >= 3) || std::isinf(x)) sum += x;
    l.store(sum);
  };
  const Finding finding = only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel));
  const std::size_t planted = finding.case_text.find("]=");
  REQUIRE(planted != std::string::npos);
  CHECK(finding.case_text.find('.', planted) == std::string::npos);  // one binary digit, such as 0x1p+2
}

TEST_CASE("a kernel that changes its input violates its contract") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::sum, Element::f32), [](const Launch& l) {
        l.store(sum_in_a_tree<float>(l));
        if (l.count > 2) l.writable_input[4] ^= std::byte{1};
      }));
  CHECK(finding.kind == Kind::contract_violation);
  CHECK(finding.message.find("element 1 was") != std::string::npos);
  CHECK(finding.case_text.find("count=3 ") == 0);
}

TEST_CASE("an empty input is checked as the contract says") {
  const auto kernel = [](const Launch& l) {
    if (l.count != 0) l.store(sum_in_a_tree<float>(l));
  };
  Contract contract = fake::contract(Operator::sum, Element::f32);
  CHECK(only_finding(audit(contract, kernel)).case_text.find("count=0 ") == 0);
  contract.instances[0].claims.empty = EmptyPolicy::untouched;
  require_clean(audit(contract, kernel));
  contract.instances[0].claims.empty = EmptyPolicy::unspecified;
  require_clean(audit(contract, kernel));
  contract.instances[0].claims.empty = EmptyPolicy::untouched;
  const KernelReport report = audit(contract, [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); });
  CHECK(only_finding(report).kind == Kind::contract_violation);
}

TEST_CASE("the worst error of several outputs counts, regardless of its position") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].output_count = Expression::constant(2);
  const auto worst_with_precise_at = [&](std::size_t precise) {
    return audit(contract, [&](const Launch& l) {
      const auto values = l.elements<float>();
      l.store(static_cast<float>(std::accumulate(values.begin(), values.end(), 0.0)), precise);
      l.store(std::accumulate(values.begin(), values.end(), 0.0F), 1 - precise);
    });
  };
  const KernelReport first = worst_with_precise_at(0), last = worst_with_precise_at(1);
  require_clean(first);
  REQUIRE(first.worst_error_over_bound);
  CHECK(first.worst_error_over_bound == last.worst_error_over_bound);
  CHECK(first.worst_case == last.worst_case);
}

TEST_CASE("partial results are combined exactly before they are checked") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction->result = ResultShape::partials;
  contract.instances[0].output_count = Expression::constant(4);
  const auto partial_sums = [](const Launch& l, std::size_t parts) {
    const auto values = l.elements<float>();
    for (std::size_t part = 0; part < 4; ++part) {
      float sum = 0;
      for (std::size_t i = part; i < values.size(); i += parts) sum += values[i];
      l.store(sum, part);
    }
  };
  require_clean(audit(
      contract, [&](const Launch& l) { partial_sums(l, 4); }, many_cases(500)));
  CHECK(only_finding(audit(contract, [&](const Launch& l) {
          partial_sums(l, 5);
        })).case_text.find("count=5 ") == 0);
}

TEST_CASE("a finding of the device is reported with its smallest case") {
  const Finding finding = only_finding(audit(
      fake::contract(Operator::sum, Element::f32),
      [](const Launch& l) {
        l.store(sum_in_a_tree<float>(l));
        if (l.count % 32 != 7) return;
        Finding found;
        found.kind = Kind::out_of_bounds;
        found.message = "a load past the end";
        found.at = {"fake.cu", 12, 3};
        l.findings->push_back(found);
      },
      many_cases(200)));
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(finding.at.line == 12);
  CHECK(finding.case_text.find("count=7 block=1 ") == 0);
  CHECK(finding.replay.find("foldproof replay ") == 0);
}

TEST_CASE("of each kind and severity, a report has at most 100 findings and says that there are more") {
  const auto kernel = [](const Launch& l) {
    l.store(sum_in_a_tree<float>(l));
    for (const Severity severity : {Severity::warning, Severity::error})
      for (unsigned line = 1; line <= 120; ++line) {
        Finding found;
        found.kind = line <= 110 ? Kind::shared_race : Kind::out_of_bounds;
        found.severity = severity;
        found.at = {severity == Severity::error ? "a.cu" : "b.cu", line, 1};
        l.findings->push_back(found);
      }
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  CHECK(report.findings.size() == 220);
  CHECK(std::ranges::count(report.findings, Kind::out_of_bounds, &Finding::kind) == 20);
  CHECK(std::ranges::count_if(report.notes, [](const std::string& note) {
          return note == "there are more than 100 findings of the kind shared-race; the others are omitted";
        }) == 1);
}

TEST_CASE("however many findings a contract allows, another one of their kind is reported") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  Allow allow;
  allow.kind = Kind::out_of_bounds;
  allow.at = "noise.cuh";
  allow.until = "2999-01-01";
  contract.allows = {allow};
  const auto kernel = [](const Launch& l) {
    l.store(sum_in_a_tree<float>(l));
    for (unsigned line = 1; line <= 151; ++line) {
      Finding found;
      found.kind = Kind::out_of_bounds;
      found.at = {line <= 150 ? "noise.cuh" : "sum.cu", line, 1};
      l.findings->push_back(found);
    }
  };
  CHECK(only_finding(audit(contract, kernel)).at.file == "sum.cu");
}

TEST_CASE("an audit in which every case ends with an accepted finding has checked nothing and is not clean") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  Allow allow;
  allow.kind = Kind::out_of_bounds;
  allow.at = "sum.cu";
  allow.until = "2999-01-01";
  contract.allows = {allow};
  const auto report_of = [&](bool always) {
    return audit(contract, [always](const Launch& l) {
      l.store(sum_in_a_tree<float>(l));
      if (!always && l.count < 100) return;
      Finding found;
      found.kind = Kind::out_of_bounds;
      found.at = {"sum.cu", 7, 1};
      l.findings->push_back(found);
    });
  };
  const KernelReport nothing = report_of(true);
  CHECK(nothing.verdict == Verdict::skipped);
  CHECK(nothing.reason.find("no result was checked") != std::string::npos);
  CHECK(report_of(false).verdict == Verdict::clean);
}

TEST_CASE("an audit in which every case has an empty input is not clean") {
  const auto reason_for = [](const std::string& count) {
    Contract contract = fake::contract(Operator::sum, Element::f32);
    contract.instances[0].domain = {{"a", Range::parse("0 .. 1000", {})},
                                    {"count", Range::parse(count, {})},
                                    {"block", Range::parse("1 .. 1024", {})}};
    const KernelReport report = audit(contract, [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); });
    CHECK(report.verdict == (report.reason.empty() ? Verdict::clean : Verdict::skipped));
    return report.reason;
  };
  CHECK(reason_for("(a == 77) * 64").find("every case had an empty input") == 0);
  CHECK(reason_for("a * 100000").find("only the empty input was tried: any other exceeds") == 0);
  CHECK(reason_for("a * 64").empty());
  CHECK(reason_for("0").empty());
}

Finding race(Severity severity) {
  Finding found;
  found.kind = Kind::shared_race;
  found.severity = severity;
  found.at = {"sum.cu", 7, 1};
  return found;
}

TEST_CASE("an error is not shrunk to a case in which it is only a warning") {
  // Like a real race: if all numbers are zero, the racing write does not change the value.
  const auto kernel = [](const Launch& l) {
    const auto values = l.elements<float>();
    const bool equal = std::ranges::all_of(values, [](float x) { return x == 0; });
    l.findings->push_back(race(equal ? Severity::warning : Severity::error));
    l.store(sum_in_a_tree<float>(l));
  };
  CHECK(only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel)).severity == Severity::error);
}

TEST_CASE("an error replaces an earlier warning at the same position") {
  std::uint64_t launches = 0;
  const auto kernel = [&](const Launch& l) {
    l.findings->push_back(race(++launches > 1 && l.count > 500 ? Severity::error : Severity::warning));
    l.store(sum_in_a_tree<float>(l));
  };
  CHECK(only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel)).severity == Severity::error);
}

TEST_CASE("an unordered access is an error as soon as a schedule gives a different result") {
  const auto unordered = [](const Launch& l) {
    l.findings->push_back(race(Severity::warning));
    l.findings->back().kind = Kind::unordered_access;
  };
  const Contract contract = fake::contract(Operator::sum, Element::i32);
  const auto same_result = [&](const Launch& l) {
    unordered(l);
    l.store(sum_in_a_tree<std::uint32_t>(l));
  };
  CHECK(only_finding(audit(contract, same_result)).severity == Severity::warning);
  const auto another_result = [&](const Launch& l) {
    unordered(l);
    const bool usual = l.schedule.order == Schedule::Order::converging;
    l.store(sum_in_a_tree<std::uint32_t>(l) + (usual ? 0u : 1u));
  };
  const KernelReport report = audit(contract, another_result);
  const auto found = std::ranges::find(report.findings, Kind::unordered_access, &Finding::kind);
  REQUIRE(found != report.findings.end());
  CHECK(found->severity == Severity::error);
}

TEST_CASE("flushing is allowed if the launched entry itself uses flushing instructions") {
  const auto flushing = [](const Launch& l) {
    auto values = l.elements<float>();
    for (float& x : values)
      if (std::fpclassify(x) == FP_SUBNORMAL) x = 0;
    const float sum = fake::random_tree_sum(values, 1);
    l.store(std::fpclassify(sum) == FP_SUBNORMAL ? 0.0f : sum);
  };
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  AuditOptions options = many_cases(1000);
  const auto ptx = [](const std::string& launched, const std::string& other) {
    const auto entry = [](const std::string& name, const std::string& opcode) {
      return ".visible .entry " + name + "()\n{\n.reg .f32 %f<4>;\n" + opcode + " %f1, %f2, %f3;\nret;\n}\n";
    };
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + entry("kernel", launched) +
           entry("other", other);
  };
  CHECK_FALSE(audit(contract, flushing, options, ptx("add.f32", "add.f32")).findings.empty());
  CHECK_FALSE(audit(contract, flushing, options, ptx("add.f32", "add.ftz.f32")).findings.empty());
  require_clean(audit(contract, flushing, options, ptx("add.ftz.f32", "add.f32")));
}

TEST_CASE("a misaligned input is tried unless the domain excludes it") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto kernel = [](const Launch& l) { l.store(l.offset % 16 == 0 ? sum_in_a_tree<float>(l) : 77.0f); };
  CHECK(only_finding(audit(contract, kernel)).case_text.find("offset=") != std::string::npos);
  contract.instances[0].domain.emplace_back("offset", Range::parse("0", {}));
  require_clean(audit(contract, kernel));
}

TEST_CASE("a claim beyond the tried range is reported") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto kernel = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  auto& count =
      *std::ranges::find(contract.instances[0].domain, "count", &std::pair<std::string, Range>::first);
  count.second = Range::parse("0 .. 2^33", {});
  CHECK(audit(contract, kernel, many_cases(40)).untried_above ==
        std::map<std::string, std::int64_t>{{"count", 4096}});
  count.second = Range::parse("0 .. 20", {});
  CHECK(audit(contract, kernel, many_cases(40)).untried_above.empty());
  contract.instances[0].domain.insert(contract.instances[0].domain.begin(),
                                      {"spare", Range::parse("1 .. 2^20", {})});
  contract.instances[0].tried = {{"spare", Range::parse("1 .. 3", {})}};
  CHECK(audit(contract, kernel, many_cases(40)).untried_above ==
        std::map<std::string, std::int64_t>{{"spare", 3}});
}

TEST_CASE("a kernel that does not end is run only for one case and its smaller ones") {
  std::uint64_t launches = 0;
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), [&](const Launch& l) {
    ++launches;
    Finding found;
    found.kind = Kind::timeout;
    l.findings->push_back(found);
  });
  CHECK(only_finding(report).kind == Kind::timeout);
  CHECK(report.notes == std::vector<std::string>{"the audit stopped at the first case that did not end"});
  CHECK(report.cases == 1);
  CHECK(launches < 20);
}

/// Returns no results after the third job that ends its process, like the runner of a worker.
class LosingProcesses final : public Runner {
 public:
  explicit LosingProcesses(const fake::Kernel& kernel) : inner_(kernel) {}
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return inner_.entries(image);
  }
  Capabilities capabilities() const override { return {.observes_launches = false, .jobs_together = 16}; }
  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    for (std::size_t j = 0, lost = 0; j < jobs.size() && lost < 3; ++j, ++jobs_run) {
      results.push_back(inner_.run({jobs[j]}).front());
      if (!results.back().findings.empty()) results.back().completed = false, ++lost;
    }
    return results;
  }
  std::uint64_t jobs_run = 0;

 private:
  fake::FakeRunner inner_;
};

TEST_CASE("an audit ends when too many lost processes leave the remaining cases without results") {
  LosingProcesses runner([](const Launch& l) {
    l.store(sum_in_a_tree<float>(l));
    Finding found;
    found.kind = Kind::crash;
    if (l.count > 1) l.findings->push_back(found);
  });
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  AuditOptions options = many_cases(40);
  options.shrinks = false;
  const auto image = std::make_shared<const Image>(Image{"fake.ptx", ""});
  const KernelReport report = audit_instance(contract, contract.instances.front(), image, runner, options);
  CHECK(only_finding(report).kind == Kind::crash);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] == std::to_string(40 - report.cases) +
                               " cases were skipped because earlier cases had crashed the worker process");
  CHECK(report.cases < 10);
  CHECK(runner.jobs_run < 16);
}

/// For a case whose relation needs two parts of its input, the first part does not end and the second is not
/// run.
class EndlessFirstPart final : public Runner {
 public:
  explicit EndlessFirstPart(const fake::Kernel& kernel) : inner_(kernel) {}
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return inner_.entries(image);
  }
  Capabilities capabilities() const override { return {.jobs_together = 16}; }
  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    const auto is_part = [&](std::size_t j) {
      const auto whole = std::ranges::find(jobs, jobs[j].group, &Job::group);
      return jobs[j].buffers[0].bytes < whole->buffers[0].bytes;
    };
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      results.push_back(inner_.run({jobs[j]}).front());
      if (j + 1 == jobs.size() || jobs[j].group != jobs[j + 1].group || !is_part(j) || !is_part(j + 1))
        continue;
      results.back().completed = false;
      results.back().findings.emplace_back().kind = Kind::timeout;
      return results;
    }
    return results;
  }

 private:
  fake::FakeRunner inner_;
};

TEST_CASE("a relation's input that does not end is a timeout of its case") {
  EndlessFirstPart runner([](const Launch& l) { l.store(sum_in_a_tree<float>(l)); });
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  AuditOptions options = many_cases(40);
  options.shrinks = false;
  const auto image = std::make_shared<const Image>(Image{"fake.ptx", ""});
  const KernelReport report = audit_instance(contract, contract.instances.front(), image, runner, options);
  CHECK(only_finding(report).kind == Kind::timeout);
  CHECK(report.notes == std::vector<std::string>{"the audit stopped at the first case that did not end"});
}

TEST_CASE("the same seed gives the same audit, and another seed a different one") {
  std::vector<std::size_t> counts[3];
  for (std::size_t run = 0; run < 3; ++run) {
    AuditOptions options;
    options.seed = run == 2 ? 5 : 4;
    audit(
        fake::contract(Operator::sum, Element::f32),
        [&](const Launch& l) {
          counts[run].push_back(l.count);
          l.store(sum_in_a_tree<float>(l));
        },
        options);
  }
  CHECK(counts[0] == counts[1]);
  CHECK(counts[0] != counts[2]);
}

TEST_CASE("forty cases sample every class, and five report what they missed") {
  const auto kernel = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  const KernelReport full = audit(contract, kernel);
  for (const std::string& note : full.notes) UNSCOPED_INFO(note);
  CHECK(std::ranges::none_of(full.notes, [](const std::string& n) { return n.find("not sampled") == 0; }));
  AuditOptions few;
  few.cases = 5;
  CHECK(std::ranges::any_of(audit(contract, kernel, few).notes,
                            [](const std::string& n) { return n.find("not sampled: distributions") == 0; }));
}

TEST_CASE("a kernel without a reduction is checked only by the device") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction.reset();
  contract.instances[0].domain.erase(contract.instances[0].domain.begin());
  contract.instances[0].buffers.resize(2);
  contract.instances[0].buffers[0].name = "input";
  contract.instances[0].buffers[1].name = "output";
  for (BufferContract& buffer : contract.instances[0].buffers) buffer.count = Expression::constant(4);
  contract.instances[0].launches[0].arguments[2].value = Expression::constant(4);
  const auto race_in_large_blocks = [](const Launch& l) {
    Finding found;
    found.kind = Kind::shared_race;
    if (l.block > 32) l.findings->push_back(found);
  };
  const Finding finding = only_finding(audit(contract, race_in_large_blocks));
  CHECK(finding.kind == Kind::shared_race);
  CHECK(finding.case_text.find("block=33 ") == 0);
}

TEST_CASE("a result shape that cannot be checked is refused") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction->result = ResultShape::bins;
  CHECK_THROWS_AS(audit(contract, [](const Launch&) {}), InputError);
  contract.instances[0].reduction->result = ResultShape::value;
  contract.instances[0].reduction->accumulator = Element::i32;
  CHECK_THROWS_AS(audit(contract, [](const Launch&) {}), InputError);
}

TEST_CASE("a defect whose audit does not finish is not found as announced") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.expected = {{Kind::wrong_value, {"fake.cu", 1, 0}, false}};
  std::optional<KernelReport> so_far;
  AuditOptions options;
  options.so_far = [&](const KernelReport& report) { so_far = report; };
  const KernelReport whole = audit(
      contract, [](const Launch& l) { l.store(1e30F); }, options);
  CHECK(whole.expected);
  REQUIRE(so_far);
  CHECK_FALSE(so_far->expected);
  CHECK(so_far->verdict == Verdict::skipped);
  CHECK_FALSE(so_far->findings.empty());
}

TEST_CASE("an exhausted budget ends the audit and is reported") {
  AuditOptions options;
  options.budget = std::chrono::milliseconds(0);
  const KernelReport report = audit(
      fake::contract(Operator::sum, Element::f32), [](const Launch&) {}, options);
  CHECK(report.cases == 0);
  CHECK(report.notes.front() == "after 0 of 40 cases, its share of the time budget was exhausted");
}

/// Sums correctly, in more time than the budget of a test.
KernelReport audit_beyond_its_budget(const AuditOptions& options) {
  return audit(
      fake::contract(Operator::sum, Element::f32),
      [](const Launch& l) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        l.store(sum_in_a_tree<float>(l));
      },
      options);
}

TEST_CASE("an audit whose budget cuts off cases shows nothing unless fewer cases are enough") {
  AuditOptions options;
  options.budget = std::chrono::milliseconds(60);
  options.cases = 4000;
  const KernelReport report = audit_beyond_its_budget(options);
  CHECK(report.verdict == Verdict::skipped);
  CHECK(report.reason ==
        fmt::format("its share of the time budget was exhausted after {} of 4000 cases; --min-cases "
                    "accepts fewer",
                    report.cases));
  options.least_cases = 1;
  CHECK(audit_beyond_its_budget(options).verdict == Verdict::clean);
}

}  // namespace
}  // namespace foldproof
