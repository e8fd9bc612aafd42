// Announced and suppressed findings are distinguished from new ones.
#include "properties/store/triage.h"

#include <fmt/format.h>

#include <utility>

#include "catch.h"
#include "properties/verdict.h"

namespace foldproof {
namespace {

Finding finding_of(Kind kind) {
  Finding finding;
  finding.kind = kind;
  return finding;
}

Finding race_at(unsigned line) {
  Finding finding;
  finding.kind = Kind::shared_race;
  finding.at = {"/home/me/kernels/tail.cuh", line, 5};
  return finding;
}

Announced announced(Kind kind, const char* file, unsigned line, bool is_optional = false) {
  return {kind, {file, line, 0}, is_optional};
}

KernelReport report_of(std::vector<Finding> findings) {
  KernelReport report;
  report.findings = std::move(findings);
  return report;
}

TEST_CASE("a suppression applies until its date, at its position, to its kind") {
  Contract contract;
  contract.allows = {
      {Kind::shared_race, "tail.cuh:40", "checked by hand", "2027-01-01", {"tail.toml", 9, 1}}};
  KernelReport report = report_of({race_at(40), race_at(41)});
  triage(report, contract, "2026-12-31");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].at.line == 41);
  CHECK(report.notes.at(0) == "accepted until 2027-01-01: shared-race at tail.cuh:40 (checked by hand)");
  const Accepted accepted{Kind::shared_race, "tail.cuh:40", "checked by hand", "2027-01-01", 1};
  CHECK(report.accepted == std::vector{accepted});

  report = report_of({race_at(41)});
  triage(report, contract, "2026-12-31");
  CHECK(report.accepted.at(0).findings == 0);
  CHECK(report.notes.empty());

  report = report_of({race_at(40)});
  triage(report, contract, "2027-01-01");
  CHECK(report.verdict == Verdict::findings);
  CHECK(report.notes.at(0) ==
        "tail.toml:9:1: the acceptance of shared-race at tail.cuh:40 expired on 2027-01-01");
}

TEST_CASE("suppressions for both places of a race match it") {
  Contract contract;
  contract.allows = {{Kind::shared_race, "tail.cuh:40", "one", "2027-01-01", {}},
                     {Kind::shared_race, "tail.cuh:42", "other", "2027-01-01", {}}};
  Finding race = race_at(40);
  race.other = {race.at.file, 42, 1};
  KernelReport report = report_of({race});
  triage(report, contract, "2026-12-31");
  CHECK(report.findings.empty());
  CHECK(report.accepted.at(0).findings == 1);
  CHECK(report.accepted.at(1).findings == 1);
}

TEST_CASE("a suppression for a file does not apply to another file whose name ends alike") {
  Contract contract;
  contract.allows = {{Kind::shared_race, "ail.cuh", "no", "2027-01-01", {}}};
  KernelReport report = report_of({race_at(40)});
  triage(report, contract, "2026-01-01");
  CHECK(report.findings.size() == 1);
  contract.allows[0].at = "kernels/tail.cuh";
  triage(report, contract, "2026-01-01");
  CHECK(report.verdict == Verdict::clean);
}

TEST_CASE("wrong values alone are warnings if nothing confirms the guess of what a kernel computes") {
  Contract guessed;
  guessed.is_unconfirmed = true;
  const Finding wrong = finding_of(Kind::wrong_value), inaccurate = finding_of(Kind::outside_bound);
  KernelReport report = report_of({wrong, inaccurate});
  triage(report, guessed, "2026-01-01");
  CHECK(report.verdict == Verdict::findings);
  CHECK(has_only_warnings(report));
  CHECK(report.reason.starts_with("some results contradict the guess"));
  CHECK(is_open(report));
  report = report_of({wrong, finding_of(Kind::shared_race)});
  triage(report, guessed, "2026-01-01");
  CHECK(report.findings[0].severity == Severity::warning);
  CHECK(report.findings[1].severity == Severity::error);
  CHECK(report.reason.empty());
  report = report_of({wrong, finding_of(Kind::input_not_used)});
  triage(report, guessed, "2026-01-01");
  CHECK(report.findings[0].severity == Severity::error);
  CHECK(report.reason.empty());
  Finding with_other_blocks = finding_of(Kind::input_not_used);
  with_other_blocks.severity = Severity::warning;
  report = report_of({wrong, with_other_blocks});
  triage(report, guessed, "2026-01-01");
  CHECK(has_only_warnings(report));
  report = report_of({wrong});
  triage(report, Contract{}, "2026-01-01");
  CHECK_FALSE(has_only_warnings(report));
}

TEST_CASE("a defect of a host function must be found, since no other device runs it") {
  Contract contract;
  contract.expected = {announced(Kind::wrong_value, "/home/me/kernels/tail.cuh", 40)};
  contract.instances.resize(1);
  contract.instances[0].launches.resize(1);
  contract.instances[0].launches[0].host = true;
  KernelReport silent = report_of({});
  triage(silent, contract, "2026-01-01", Watched::no);
  CHECK(exit_status({"a GPU", 1, {silent}}, Severity::error) == 1);

  Finding varies;  // how a value that is wrong at random is reported
  varies.kind = Kind::not_reproducible;
  KernelReport found = report_of({varies});
  triage(found, contract, "2026-01-01", Watched::no);
  CHECK(found.expected);
  CHECK(exit_status({"a GPU", 1, {found}}, Severity::error) == 0);
}

TEST_CASE("on a device without checks, a defect need not be found") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40)};
  KernelReport report = report_of({});
  triage(report, contract, "2026-01-01", Watched::no);
  CHECK(report.verdict == Verdict::clean);
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 0);
}

TEST_CASE("on a device without checks, a finding in the family of the announced one counts as found") {
  struct Row {
    Kind announced, made;
  };
  const Row found[] = {{Kind::shared_race, Kind::unordered_access},
                       {Kind::cluster_race, Kind::shared_race},
                       {Kind::deadlock, Kind::timeout},
                       {Kind::out_of_bounds, Kind::misaligned},
                       {Kind::schedule_dependent, Kind::wrong_value}};
  const Row another[] = {{Kind::shared_race, Kind::wrong_value},
                         {Kind::out_of_bounds, Kind::uninitialized_read},
                         {Kind::invalid_mask, Kind::crash}};
  Contract contract;
  Finding finding;  // a GPU may not know the position
  const auto triaged = [&](const Row& row) {
    INFO(name(row.announced) << " announced, " << name(row.made) << " made");
    contract.expected = {announced(row.announced, "/home/me/kernels/tail.cuh", 40)};
    finding.kind = row.made;
    KernelReport report = report_of({finding});
    triage(report, contract, "2026-01-01", Watched::no);
    // Undefined behaviour explains its consequences, and no defect is required to be found here.
    CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 0);
    return report;
  };
  for (const Row& row : found) {
    const KernelReport report = triaged(row);
    CHECK(report.verdict == Verdict::findings);
    CHECK(report.expected);
    CHECK(report.notes.empty());
  }
  for (const Row& row : another) {
    const KernelReport report = triaged(row);
    CHECK(report.verdict == Verdict::another_finding);
    CHECK_FALSE(report.expected);
    CHECK(report.notes == std::vector<std::string>{fmt::format(
                              "another finding: the source announces {}, but this device reports {}",
                              name(row.announced), name(row.made))});
  }
}

TEST_CASE("a finding that the announced defect does not explain fails the run on every device") {
  Finding race = race_at(40), refused;
  refused.kind = Kind::contract_violation;
  Contract contract;
  contract.expected = {announced(Kind::wrong_value, "/home/me/kernels/tail.cuh", 40)};
  KernelReport report = report_of({race});
  triage(report, contract, "2026-01-01", Watched::no);
  CHECK(report.verdict == Verdict::another_finding);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 1);

  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40)};
  report = report_of({race, refused});
  triage(report, contract, "2026-01-01", Watched::no);
  CHECK(report.verdict == Verdict::findings);
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 1);

  report = report_of({race});
  triage(report, Contract{}, "2026-01-01", Watched::no);
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 1);
}

TEST_CASE("a defect is as expected if exactly the announced findings were made") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40),
                       announced(Kind::wrong_value, "/home/me/kernels/tail.cu", 3)};
  Finding wrong;
  wrong.kind = Kind::wrong_value;
  wrong.at = {"/home/me/kernels/tail.cu", 9};

  KernelReport report = report_of({race_at(40), wrong});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);
  CHECK(exit_status({"emulated", 1, {report}}, Severity::error) == 0);

  report = report_of({race_at(40), wrong, race_at(7)});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"emulated", 1, {report}}, Severity::error) == 1);

  report = report_of({wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[1].message == "the source announces shared-race, but no case produced it");
  CHECK(report.findings[1].at == Position{"/home/me/kernels/tail.cuh", 40, 0});
  CHECK(exit_status({"emulated", 1, {report}}, Severity::error) == 1);
}

TEST_CASE("a race may be announced at either of its two accesses") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 38)};
  Finding race = race_at(40);
  race.other = Position{"/home/me/kernels/tail.cuh", 38, 5};
  KernelReport report = report_of({race});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);
}

TEST_CASE("a finding announced with a question mark is optional") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40),
                       announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 7, true)};
  KernelReport report = report_of({race_at(40), race_at(7)});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);

  report = report_of({race_at(40)});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);
  CHECK(report.findings.size() == 1);
}

TEST_CASE("wrong values after announced undefined behaviour are ignored") {
  Finding wrong, changed_input;
  wrong.kind = Kind::wrong_value;
  changed_input.kind = Kind::contract_violation;
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40)};

  for (const Kind kind :
       {Kind::wrong_value, Kind::outside_bound, Kind::not_reproducible, Kind::schedule_dependent}) {
    wrong.kind = kind;
    KernelReport report = report_of({race_at(40), wrong});
    triage(report, contract, "2026-01-01");
    CHECK(report.expected);
  }

  KernelReport report = report_of({wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);  // the race itself was not reported

  contract.expected.front().is_optional = true;
  report = report_of({wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
  contract.expected.front().is_optional = false;

  report = report_of({race_at(40), changed_input});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);

  contract.expected = {announced(Kind::deadlock, "/home/me/kernels/tail.cuh", 40)};
  Finding deadlock = race_at(40);
  deadlock.kind = Kind::deadlock;
  report = report_of({deadlock, wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
}

TEST_CASE("the exit status depends on severity, expectation and kernels that could not run") {
  KernelReport clean, warned, stuck;
  warned.verdict = Verdict::findings;
  warned.findings = {race_at(1)};
  warned.findings[0].severity = Severity::warning;
  stuck.verdict = Verdict::unsupported;
  CHECK(exit_status({"", 1, {clean}}, Severity::error) == 0);
  CHECK(exit_status({"", 1, {clean, warned}}, Severity::error) == 0);
  CHECK(exit_status({"", 1, {clean, warned}}, Severity::warning) == 1);
  CHECK(exit_status({"", 1, {clean, stuck}}, Severity::error) == 3);
  CHECK(exit_status({"", 1, {warned, stuck}}, Severity::warning) == 1);
  CHECK(exit_status({"", 1, {clean}, {{"cuda", "there is none"}}}, Severity::error) == 3);
  CHECK(exit_status({"", 1, {warned}, {{"cuda", "there is none"}}}, Severity::warning) == 1);
}

}  // namespace
}  // namespace foldproof
