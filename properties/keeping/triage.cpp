#include "properties/keeping/triage.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "properties/execution/evaluation.h"

namespace foldproof {
namespace {

/// Whether "dir/file:line" or "dir/file" names the place; a name matches the end of a path.
bool names(const std::string& at, const Position& place) {
  const std::string with_line = fmt::format("{}:{}", place.file, place.line);
  const auto ends = [&](const std::string& path) {
    if (!path.ends_with(at)) return false;
    return path.size() == at.size() || at.front() == '/' || path[path.size() - at.size() - 1] == '/';
  };
  return !at.empty() && (ends(place.file) || (place.line != 0 && ends(with_line)));
}

bool is_at(const std::string& at, const Finding& finding) {
  return names(at, finding.at) || (finding.other && names(at, *finding.other));
}

/// "KIND@file:line". Findings about values have no place of their own: their kind decides.
bool announces(const std::string& announced, const Finding& finding) {
  const std::size_t split = announced.find('@');
  if (announced.substr(0, split) != name(finding.kind)) return false;
  return split == std::string::npos || is_about_values(finding.kind) ||
         is_at(announced.substr(split + 1), finding);
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

void add_silent(KernelReport& report, const Contract& contract, const std::string& announced) {
  Finding finding;
  finding.kind = Kind::contract_violation;
  const std::size_t split = announced.find('@');
  finding.message = fmt::format("the source announces {}, and no case showed it", announced.substr(0, split));
  finding.at.file = contract.source.string();
  if (const std::size_t colon = announced.rfind(':'); split != std::string::npos && colon > split) {
    finding.at.file = announced.substr(split + 1, colon - split - 1);
    finding.at.line = static_cast<unsigned>(std::strtoul(announced.c_str() + colon + 1, nullptr, 10));
  }
  report.findings.push_back(std::move(finding));
}

}  // namespace

std::string today() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

void triage(KernelReport& report, const Contract& contract, const std::string& date) {
  apply_suppressions(report, contract, date);
  bool silent = false;
  for (const std::string& announced : contract.expected) {
    bool made = false;
    for (Finding& finding : report.findings)
      if (announces(announced, finding)) made = finding.expected = true;
    if (made) continue;
    silent = true;
    add_silent(report, contract, announced);
  }
  report.verdict = report.findings.empty() ? Verdict::clean : Verdict::findings;
  report.expected = !contract.expected.empty() && !silent &&
                    std::ranges::all_of(report.findings, [](const Finding& f) { return f.expected; });
}

}  // namespace foldproof
