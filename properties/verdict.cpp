#include "properties/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace foldproof {

std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {"clean",       "findings", "another-finding",
                                        "unsupported", "skipped",  "error"};
  return names[static_cast<std::size_t>(verdict)];
}

Exit exit_status(const AuditReport& report, Severity fail_on) {
  const auto fails = [&](const Finding& finding) { return !finding.expected && finding.severity >= fail_on; };
  const auto has_failed = [&](const KernelReport& kernel) {
    return std::ranges::any_of(kernel.findings, fails);
  };
  const auto could_not_run = [](const KernelReport& kernel) {
    return kernel.verdict == Verdict::unsupported || kernel.verdict == Verdict::error;
  };
  const auto was_skipped = [](const KernelReport& kernel) { return kernel.verdict == Verdict::skipped; };
  if (std::ranges::any_of(report.kernels, has_failed)) return exit_findings;
  if (!report.skipped_devices.empty()) return exit_unable;
  const bool none_ran = !report.kernels.empty() && std::ranges::all_of(report.kernels, was_skipped);
  return none_ran || std::ranges::any_of(report.kernels, could_not_run) ? exit_unable : exit_ok;
}

std::string_view name(CheckResult::Evidence evidence) {
  static constexpr std::string_view names[Accuracy::kinds_of_evidence] = {"nothing", "category", "exact",
                                                                          "bound", "tree"};
  return names[static_cast<std::size_t>(evidence)];
}

KernelReport empty_report(const Contract& contract, const Instance& instance, Verdict verdict,
                          const std::string& reason) {
  KernelReport report;
  report.verdict = verdict;
  report.reason = reason;
  report.id = contract.id;
  report.label = instance.label;
  report.bindings = instance.bindings;
  report.file = contract.source.string();
  if (!instance.launches.empty()) report.entry = instance.launches.front().entry;
  const std::string stem = contract.source.stem().string();
  report.kernel = contract.id.empty() || contract.id == stem ? stem : contract.id + " " + stem;
  if (instance.reduction)
    report.kernel += fmt::format(" {} {}", name(instance.reduction->input), name(instance.reduction->op));
  return report;
}

}  // namespace foldproof
