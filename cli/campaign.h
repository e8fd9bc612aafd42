// Audits many instances in several processes, with reports in the order of the instances.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/campaign_options.h"
#include "command/compilation.h"
#include "command/console.h"
#include "command/subjects.h"
#include "properties/audit.h"
#include "properties/case.h"
#include "properties/large_audit.h"
#include "properties/mutation.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

struct CampaignResult {
  AuditReport report;
  bool interrupted = false;
  bool is_incomplete = false;                        ///< some instances were not audited before a time limit
  std::optional<std::vector<MutationReport>> proof;  ///< --prove: mutation results of the clean kernels
  bool has_results = false;         ///< an instance was audited, or would have been without a limit
  std::vector<InputError> errors;   ///< in sources and contracts, whose instances have the verdict `error`
  std::optional<Unsupported> lack;  ///< what is missing for the compilation of a source
};

/// Whether nothing was audited because of errors, or of what is missing. An interrupted run has results.
bool is_refused(const CampaignResult& result);

/// Keeps the subjects until this process ends and never frees them: that would take a second for the syntax
/// tree of a large source, after the report.
std::vector<Subject>& kept(std::vector<Subject> subjects);

/// The share of the time until the deadline for the next task, if `left` tasks have not started.
std::chrono::milliseconds share(std::chrono::steady_clock::time_point deadline, std::size_t left,
                                unsigned jobs);

/// Audits the instances, each as soon as its subject is compiled. Those of a source that cannot be compiled
/// have the verdict `error`.
CampaignResult run_campaign(const std::vector<Assignment>& assignments, Compilation& compilation,
                            const CampaignOptions& options, ProgressLine& line);

/// The same for subjects that are compiled.
CampaignResult run_campaign(const std::vector<Assignment>& assignments, const CampaignOptions& options,
                            ProgressLine& line);

/// Prints the report and the errors, and returns the exit status. Of a run that is_refused, throws the last
/// error or, without errors, what is missing.
Exit conclude(const CampaignResult& result, Severity fail_on, const Console& console, ProgressLine& line);

/// Declares --sanitizer; tools_named() reads its value. `about` begins the help.
void add_sanitizer(CLI::App& app, std::string& value, const std::string& about);

/// Throws InputError if `--sanitizer` names tools and nothing runs on a GPU.
void check_has_gpu(const std::string& sanitizer, bool has_gpu);

/// The tools that `--sanitizer` names, separated by commas. Throws InputError for an unknown name, and
/// Unsupported if compute-sanitizer is missing or unknown, so that nothing unchecked counts as checked.
std::vector<const compute_sanitizer::Tool*> tools_named(const std::string& list, Deadline deadline = {});

/// Audits one instance with a runner. It is called twice per instance, and must request the same jobs both
/// times, whatever the results of earlier ones.
using AuditBy = std::function<KernelReport(const Assignment& assignment, Runner& runner)>;

/// The reports of instances that all use the same tool, in order: collects all jobs, runs them, then checks
/// the results. Throws like `audit`, and like run_sanitized.
std::vector<KernelReport> audit_under_tool(std::span<const Assignment> assignments, const AuditBy& audit);

}  // namespace foldproof
