// Audits many instances in several processes, with reports in the order of the instances.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command/compilation.h"
#include "command/console.h"
#include "command/subjects.h"
#include "properties/audit.h"
#include "properties/case.h"
#include "properties/large_audit.h"
#include "properties/mutation.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// The device of an instance. Host functions use a GPU themselves, whichever device was requested.
enum class RunsOn : std::uint8_t { emulated, cuda };

/// One instance of one subject.
struct Assignment {
  const Subject* subject = nullptr;
  const Instance* instance = nullptr;
  RunsOn device = RunsOn::emulated;
  const compute_sanitizer::Tool* tool = nullptr;  ///< that observes the GPU
  bool is_large = false;                          ///< checked on the GPU by sums over gigabytes
};

inline bool runs_on_emulated_device(const Assignment& assignment) {
  return assignment.device == RunsOn::emulated && !is_host_function(*assignment.instance);
}

/// In a run of more instances than this, those of one contract share cases: they differ in types and
/// operators, not in how threads interact.
inline constexpr std::size_t many_instances = 500;
inline constexpr std::uint64_t shared_cases = 80, least_cases = 12;  ///< in total, and per instance

/// Merely listing more instances would take longer than --budget or an interrupt allows.
inline constexpr std::size_t most_instances = std::size_t{1} << 14;

inline constexpr std::chrono::seconds gpu_case_limit{10}, emulated_case_limit{120};

struct CampaignOptions {
  AuditOptions audit;  ///< its budget, cases and largest count are set per instance from those below
  std::optional<std::uint64_t> largest_count;  ///< absent: depends on the device
  /// Per instance; absent: the default of AuditOptions, or a share.
  std::optional<std::uint64_t> cases;
  bool shares_cases = false;
  Deadline deadline;                           ///< of the whole campaign
  std::optional<std::filesystem::path> store;  ///< folder of failing cases; absent: next to each contract
  std::optional<Case> only_case;               ///< run this case instead of generated ones
  bool counters = false;                       ///< count what a representative case does
  bool coverage = false;                       ///< report input coverage
  unsigned jobs = 1;
  /// Per case; absent: gpu_case_limit or emulated_case_limit.
  std::optional<std::chrono::milliseconds> case_limit;
  LargeAuditTools large_tools;  ///< required if an assignment is large
  /// Called with the reports of adjacent assignments of one subject once all of them have been audited.
  std::function<void(std::span<const KernelReport>)> subject_done;
};

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

/// Throws InputError if they are more than most_instances.
void check_number(const std::vector<Assignment>& assignments);

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
