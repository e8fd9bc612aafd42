#include "properties/keeping/triage.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "properties/shrinking/same_failure.h"

namespace foldproof {
namespace {

bool is_at(const std::string& at, const Finding& finding) {
  return names(at, finding.at) || (finding.other && names(at, *finding.other));
}

/// "KIND@file:line", or "KIND?@file:line" for a finding that need not be made.
struct Announced {
  std::string kind, at;
  bool optional = false;

  explicit Announced(const std::string& text) {
    const std::size_t split = text.find('@');
    kind = text.substr(0, split);
    if (split != std::string::npos) at = text.substr(split + 1);
    optional = kind.ends_with('?');
    if (optional) kind.pop_back();
  }

  /// Of two accesses that clash, either may come later: both places count. Findings about values have no
  /// place of their own: their kind decides, and which of a family it is hangs on the input.
  bool means(const Finding& finding) const {
    const auto known = kind_named(kind);
    if (!known || !same_family(*known, finding.kind)) return false;
    return at.empty() || is_about_values(finding.kind) || is_at(at, finding);
  }

  /// Whether it leaves open what the kernel returns, if anything.
  bool spoils_values() const {
    const auto known = kind_named(kind);
    return known && is_undefined_behaviour(*known);
  }
};

/// A result that is wrong or changes, which undefined behaviour explains.
bool is_spoilt_value(const Finding& finding) {
  return is_about_values(finding.kind) && finding.kind != Kind::contract_violation;
}

void apply_suppressions(KernelReport& report, const Contract& contract, const std::string& date) {
  for (const Allow& allow : contract.allows) {
    const auto is_meant = [&](const Finding& f) { return f.kind == allow.kind && is_at(allow.at, f); };
    const auto count = std::ranges::count_if(report.findings, is_meant);
    if (count == 0) continue;
    if (allow.until <= date) {
      report.notes.push_back(fmt::format("{}: the suppression of {} at {} ended on {}",
                                         to_string(allow.where), name(allow.kind), allow.at, allow.until));
      continue;
    }
    std::erase_if(report.findings, is_meant);
    report.notes.push_back(fmt::format("allowed until {}: {} at {} ({})", allow.until, name(allow.kind),
                                       allow.at, allow.reason));
  }
}

void add_silent(KernelReport& report, const Contract& contract, const Announced& announced) {
  Finding finding;
  finding.kind = Kind::contract_violation;
  finding.message = fmt::format("the source announces {}, and no case showed it", announced.kind);
  finding.at.file = contract.source.string();
  if (const std::size_t colon = announced.at.rfind(':'); colon != std::string::npos) {
    finding.at.file = announced.at.substr(0, colon);
    finding.at.line = static_cast<unsigned>(std::strtoul(announced.at.c_str() + colon + 1, nullptr, 10));
  }
  report.findings.push_back(std::move(finding));
}

void triage_unwatched(KernelReport& report) {
  for (Finding& finding : report.findings) finding.expected = finding.kind != Kind::unsupported;
  report.verdict = report.findings.empty() ? Verdict::clean : Verdict::findings;
  report.expected = !report.findings.empty() &&
                    std::ranges::all_of(report.findings, [](const Finding& f) { return f.expected; });
  if (report.findings.empty())
    report.notes.emplace_back("a defect that leaves no trace in memory here; the emulated device finds it");
}

}  // namespace

bool names(const std::string& at, const Position& place) {
  const std::string with_line = fmt::format("{}:{}", place.file, place.line);
  const auto ends = [&](const std::string& path) {
    if (!path.ends_with(at)) return false;
    return path.size() == at.size() || at.front() == '/' || path[path.size() - at.size() - 1] == '/';
  };
  return !at.empty() && (ends(place.file) || (place.line != 0 && ends(with_line)));
}

std::string today() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

void triage(KernelReport& report, const Contract& contract, const std::string& date, Watched watched) {
  apply_suppressions(report, contract, date);
  if (watched == Watched::no && !contract.expected.empty()) {
    triage_unwatched(report);
    return;
  }
  bool silent = false;
  for (const std::string& text : contract.expected) {
    const Announced announced(text);
    bool made = false;
    for (Finding& finding : report.findings) {
      if (announced.means(finding)) made = finding.expected = true;
      if (announced.spoils_values() && is_spoilt_value(finding)) finding.expected = true;
    }
    if (made || announced.optional) continue;
    silent = true;
    add_silent(report, contract, announced);
  }
  report.verdict = report.findings.empty() ? Verdict::clean : Verdict::findings;
  report.expected = !contract.expected.empty() && !silent &&
                    std::ranges::all_of(report.findings, [](const Finding& f) { return f.expected; });
}

}  // namespace foldproof
