#include "properties/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace foldproof {

namespace {

constexpr std::string_view verdict_names[] = {
#define FOLDPROOF_VERDICT(id, name, counted, color) name,
#include "properties/verdicts.def"
#undef FOLDPROOF_VERDICT
};

}  // namespace

std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> verdict_named(std::string_view name) {
  const auto found = std::ranges::find(verdict_names, name);
  if (found == std::end(verdict_names)) return std::nullopt;
  return static_cast<Verdict>(found - std::begin(verdict_names));
}

bool is_about_uses(const Finding& finding) {
  return finding.kind == Kind::input_not_used || finding.kind == Kind::input_used_twice;
}

Rank rank_of(const Finding& finding) {
  if (is_about_undefined_values(finding.kind)) return Rank::undefined_value;
  if (is_undefined_behaviour(finding.kind)) return Rank::undefined_behaviour;
  if (is_about_uses(finding)) return Rank::uses;
  return finding.is_about_category ? Rank::category : Rank::other;
}

std::pair<bool, Rank> order_in_report(const Finding& finding) {
  return {finding.severity != Severity::error, rank_of(finding)};
}

bool has_only_warnings(const KernelReport& report) {
  return std::ranges::none_of(report.findings, [](const Finding& finding) {
    return finding.severity == Severity::error && !finding.expected;
  });
}

bool is_open(const KernelReport& report) {
  const Verdict verdict = report.verdict;
  const bool is_warned_of = verdict == Verdict::findings && !report.expected && !report.reason.empty();
  return verdict == Verdict::unchecked || verdict == Verdict::no_fit || verdict == Verdict::unsupported ||
         verdict == Verdict::error || is_warned_of;
}

Exit exit_status(const AuditReport& report, Severity fail_on) {
  const auto fails = [&](const Finding& finding) { return !finding.expected && finding.severity >= fail_on; };
  const auto has_failed = [&](const KernelReport& kernel) {
    return std::ranges::any_of(kernel.findings, fails);
  };
  const auto was_skipped = [](const KernelReport& kernel) { return kernel.verdict == Verdict::skipped; };
  if (std::ranges::any_of(report.kernels, has_failed)) return exit_findings;
  if (!report.skipped_devices.empty()) return exit_unable;
  const bool none_ran = !report.kernels.empty() && std::ranges::all_of(report.kernels, was_skipped);
  return none_ran || std::ranges::any_of(report.kernels, is_open) ? exit_unable : exit_ok;
}

bool leaves_something_out(const AuditReport& report) {
  const auto is_partial = [](const KernelReport& kernel) { return !kernel.not_audited.empty(); };
  return !report.sources_without_contract.empty() || std::ranges::any_of(report.kernels, is_partial);
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
  report.contract = contract.file.string();
  if (!instance.launches.empty()) report.entry = instance.launches.front().entry;
  // A source may have several contracts.
  const std::string stem = (contract.file.empty() ? contract.source : contract.file).stem().string();
  report.kernel = contract.id.empty() || contract.id == stem ? stem : contract.id + " " + stem;
  if (instance.reduction)
    report.kernel += fmt::format(" {} {}", name(instance.reduction->input), name(instance.reduction->op));
  return report;
}

}  // namespace foldproof
