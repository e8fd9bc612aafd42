// Findings of the device in an audit: the smallest case, their number, and errors next to warnings.
#include <algorithm>

#include "audited.h"
#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::allowed;
using fake::audit;
using fake::Launch;
using fake::many_cases;
using fake::only_finding;
using fake::sum_in_a_tree;

Finding race(Severity severity) {
  Finding found;
  found.kind = Kind::shared_race;
  found.severity = severity;
  found.at = {"sum.cu", 7, 1};
  return found;
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
  contract.allows = {allowed(Kind::out_of_bounds, "noise.cuh")};
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

TEST_CASE("a value outside its bound is reported although the contract accepts wrong values") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = contract.source = "sum.cu";
  const auto kernel = [](const Launch& l) {
    const auto values = l.elements<float>();
    const bool has_infinity = std::ranges::any_of(values, [](float x) { return std::isinf(x); });
    l.store(has_infinity ? 0 : 1.25F * sum_in_a_tree<float>(l));
  };
  const std::vector<Finding> findings = audit(contract, kernel, many_cases(200)).findings;
  REQUIRE(findings.size() == 2);  // the wrong result for an infinity is another fault
  contract.allows = {allowed(Kind::wrong_value, findings[0].at.file)};
  CHECK(only_finding(audit(contract, kernel, many_cases(200))).kind == Kind::outside_bound);
}

TEST_CASE("a wrong value in a run with a race names the race as its possible cause") {
  const auto kernel = [](const Launch& l) {
    l.findings->push_back(race(Severity::error));
    l.store(1.25F * sum_in_a_tree<float>(l));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  REQUIRE(std::ranges::count_if(report.findings,
                                [](const Finding& finding) { return is_about_values(finding.kind); }) >= 1);
  for (const Finding& finding : report.findings)
    if (finding.kind == Kind::shared_race)
      CHECK_FALSE(finding.cause);
    else
      CHECK(finding.cause == Cause{Kind::shared_race, race(Severity::error).at});
}

TEST_CASE("a warning about other launches is omitted if the same fault is an error in the domain") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.preconditions = {race(Severity::warning)};
  const auto kernel = [](Severity severity, bool races) {
    return [=](const Launch& l) {
      if (races) l.findings->push_back(race(severity));
      l.store(sum_in_a_tree<float>(l));
    };
  };
  CHECK(only_finding(audit(contract, kernel(Severity::error, true))).severity == Severity::error);
  CHECK(only_finding(audit(contract, kernel(Severity::error, false))).severity == Severity::warning);
}

TEST_CASE("a warning about other launches stays if the same fault is only a warning in the domain") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.preconditions = {race(Severity::warning)};
  const auto races = [](const Launch& l) {
    l.findings->push_back(race(Severity::warning));
    l.store(sum_in_a_tree<float>(l));
  };
  CHECK(audit(contract, races).findings.size() == 2);
}

TEST_CASE("a wrong NaN or infinity does not name a finding that the contract accepts as its cause") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto wrong = [](const Launch& l) {
    const auto values = l.elements<float>();
    const bool has_infinity = std::ranges::any_of(values, [](float x) { return std::isinf(x); });
    l.store(has_infinity ? 0 : 1.25F * sum_in_a_tree<float>(l));
  };
  const KernelReport whole = audit(contract, wrong, many_cases(200));
  REQUIRE(whole.findings.size() == 2);
  CHECK(whole.findings[1].cause == Cause{whole.findings[0].kind, whole.findings[0].at});
  contract.allows = {allowed(whole.findings[0].kind, whole.findings[0].at.file)};
  for (const Finding& finding : audit(contract, wrong, many_cases(200)).findings) CHECK_FALSE(finding.cause);
}

TEST_CASE("a race that other cases show as an error may be the cause, and the report shows its place") {
  // With few elements, the race at line 7 is a warning, because the values are equal; later ones are
  // elsewhere.
  const auto kernel = [](const Launch& l) {
    Finding found = race(l.count < 64 ? Severity::warning : Severity::error);
    if (l.count >= 64) found.at.line = 9;
    l.findings->push_back(found);
    l.store(1.25F * sum_in_a_tree<float>(l));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel, many_cases(100));
  const auto wrong = std::ranges::find_if(
      report.findings, [](const Finding& finding) { return is_about_values(finding.kind); });
  REQUIRE(wrong != report.findings.end());
  REQUIRE(wrong->cause);
  CHECK(wrong->cause->kind == Kind::shared_race);
  CHECK(wrong->cause->at.line == 9);
  const auto harmless = [](const Launch& l) {
    l.findings->push_back(race(Severity::warning));
    l.store(1.25F * sum_in_a_tree<float>(l));
  };
  for (const Finding& finding : audit(fake::contract(Operator::sum, Element::f32), harmless).findings)
    if (!finding.is_about_category) CHECK_FALSE(finding.cause);
}

TEST_CASE("errors come before warnings, whatever they are about") {
  const auto kernel = [](const Launch& l) {
    l.findings->push_back(race(Severity::warning));
    l.store(1.25F * sum_in_a_tree<float>(l));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  CHECK(report.findings.front().severity == Severity::error);
  CHECK(report.findings.back().kind == Kind::shared_race);
}

TEST_CASE("a claimed compensation of a kernel that may flush subnormal numbers is not checked") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction->sum = SumMethod::kahan;
  const auto kernel = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  contract.instances[0].claims.flushes_subnormals = true;
  const KernelReport report = audit(contract, kernel);
  CHECK(report.verdict == Verdict::unchecked);
  CHECK(report.reason.starts_with("the claimed method was not checked"));
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

}  // namespace
}  // namespace foldproof
