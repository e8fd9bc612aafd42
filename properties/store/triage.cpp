#include "properties/store/triage.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "properties/instance_job.h"
#include "properties/shrinking/shrink.h"

namespace foldproof {
namespace {

bool is_at(const std::string& at, const Finding& finding) {
  return names(at, finding.at) || (finding.other && names(at, *finding.other));
}

/// Whether `path` is `end`, or ends with it after a slash.
bool ends_with_path(const std::string& path, const std::string& end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || end.front() == '/' || path[path.size() - end.size() - 1] == '/';
}

/// Either of two conflicting accesses may come later: both places count. Findings about values have no place
/// of their own: their kind decides, and which of several kinds is reported depends on the input.
bool is_announced(const Announced& announced, const Finding& finding) {
  const auto is_there = [&](const Position& place) {
    return place.line == announced.at.line && ends_with_path(place.file, announced.at.file);
  };
  if (!same_family(announced.kind, finding.kind)) return false;
  return is_about_values(finding.kind) || is_there(finding.at) || (finding.other && is_there(*finding.other));
}

/// A result that is wrong or varies, which undefined behaviour explains.
bool is_spoilt_value(const Finding& finding) {
  return is_about_values(finding.kind) && finding.kind != Kind::contract_violation;
}

bool is_named(const Allow& allow, const Finding& finding) {
  return finding.kind == allow.kind && is_at(allow.at, finding);
}

void apply_suppressions(KernelReport& report, const Contract& contract, const std::string& date) {
  const std::vector<Finding> found =
      report.findings;  // a race may be named by two suppressions, one per place
  for (const Allow& allow : contract.allows) {
    const auto is_meant = [&](const Finding& f) { return is_named(allow, f); };
    const auto findings = static_cast<std::uint64_t>(std::ranges::count_if(found, is_meant));
    if (allow.until <= date) {
      if (findings > 0)
        report.notes.push_back(fmt::format("{}: the acceptance of {} at {} expired on {}",
                                           to_string(allow.where), name(allow.kind), allow.at, allow.until));
      continue;
    }
    std::erase_if(report.findings, is_meant);
    report.accepted.push_back({allow.kind, allow.at, allow.reason, allow.until, findings});
    if (findings > 0)
      report.notes.push_back(fmt::format("accepted until {}: {} at {} ({})", allow.until, name(allow.kind),
                                         allow.at, allow.reason));
  }
}

void add_silent(KernelReport& report, const Announced& announced) {
  Finding finding;
  finding.kind = Kind::contract_violation;
  finding.message = fmt::format("the source announces {}, but no case produced it", name(announced.kind));
  finding.at = announced.at;
  report.findings.push_back(std::move(finding));
}

bool are_all_expected(const std::vector<Finding>& findings) {
  return std::ranges::all_of(findings, &Finding::expected);
}

/// Wrong values are warnings, unless elements are lost or repeated: the kernel may compute something else
/// than was guessed.
void doubt(KernelReport& report) {
  const auto loses_elements = [](const Finding& finding) {
    return finding.severity == Severity::error && is_about_uses(finding);
  };
  if (has_only_warnings(report) || std::ranges::any_of(report.findings, loses_elements)) return;
  for (Finding& finding : report.findings)
    if (finding.kind == Kind::wrong_value || finding.kind == Kind::outside_bound)
      finding.severity = Severity::warning;
  if (!has_only_warnings(report)) return;
  report.reason =
      "some results contradict the guess, and the name of the kernel does not settle what it computes; use "
      "--as to specify that, or correct the contract that `foldproof init` writes";
}

/// "shared-race, wrong-value": each kind once.
template <typename Range>
std::string kinds_of(const Range& range) {
  std::set<std::string_view> kinds;
  for (const auto& each : range) kinds.insert(name(each.kind));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

/// For a defect on a device that does not observe launches.
void triage_unwatched(KernelReport& report, const Contract& contract) {
  bool is_found = false;
  for (Finding& finding : report.findings) {
    const auto is_meant = [&](const Announced& announced) {
      return family_of(announced.kind) == family_of(finding.kind);
    };
    const auto explains = [&](const Announced& announced) {
      return is_undefined_behaviour(announced.kind) && finding.kind != Kind::contract_violation;
    };
    const bool is_of_family = std::ranges::any_of(contract.expected, is_meant);
    is_found |= is_of_family;
    finding.expected = finding.kind != Kind::unsupported &&
                       (is_of_family || std::ranges::any_of(contract.expected, explains));
  }
  report.expected = is_found && are_all_expected(report.findings);
  if (report.findings.empty() && contract.is_host_function()) {
    for (const Announced& announced : contract.expected)
      if (!announced.is_optional) add_silent(report, announced);
    report.verdict = report.findings.empty() ? Verdict::clean : Verdict::findings;
  } else if (report.findings.empty()) {
    report.verdict = Verdict::clean;
    report.notes.emplace_back("the defect is not visible on this device; the emulated device detects it");
  } else if (is_found) {
    report.verdict = Verdict::findings;
  } else {
    report.verdict = Verdict::another_finding;
    report.notes.push_back(fmt::format("another finding: the source announces {}, but this device reports {}",
                                       kinds_of(contract.expected), kinds_of(report.findings)));
  }
}

}  // namespace

bool names(const std::string& at, const Position& place) {
  const std::string with_line = fmt::format("{}:{}", place.file, place.line);
  return !at.empty() &&
         (ends_with_path(place.file, at) || (place.line != 0 && ends_with_path(with_line, at)));
}

std::string today() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

bool is_allowed(const Finding& finding, const Contract& contract, const std::string& date) {
  return std::ranges::any_of(
      contract.allows, [&](const Allow& allow) { return allow.until > date && is_named(allow, finding); });
}

AcceptsFinding allowed_by(const Contract& contract) {
  return [&contract, date = today()](const Finding& finding) { return is_allowed(finding, contract, date); };
}

bool is_accepted(const Finding& finding, const Contract& contract, const std::string& date) {
  const auto announces_it = [&](const Announced& announced) { return is_announced(announced, finding); };
  return is_allowed(finding, contract, date) || std::ranges::any_of(contract.expected, announces_it);
}

void triage(KernelReport& report, const Contract& contract, const std::string& date, Watched watched) {
  apply_suppressions(report, contract, date);
  if (watched == Watched::no && !contract.expected.empty()) {
    triage_unwatched(report, contract);
    return;
  }
  bool is_silent = false;
  for (const Announced& announced : contract.expected) {
    bool is_made = false;
    for (Finding& finding : report.findings)
      if (is_announced(announced, finding)) is_made = finding.expected = true;
    if (is_made && is_undefined_behaviour(announced.kind))
      for (Finding& finding : report.findings)
        if (is_spoilt_value(finding)) finding.expected = true;
    if (is_made || announced.is_optional) continue;
    is_silent = true;
    add_silent(report, announced);
  }
  report.verdict = report.findings.empty() ? Verdict::clean : Verdict::findings;
  report.expected = !contract.expected.empty() && !is_silent && are_all_expected(report.findings);
  if (contract.is_unconfirmed && !report.expected) doubt(report);
}

}  // namespace foldproof
