// Many instances audited in processes of their own, their reports in the order of the instances.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "command/console.h"
#include "command/subjects.h"
#include "properties/audit.h"
#include "properties/case.h"
#include "properties/large_audit.h"
#include "properties/mutation.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// What runs an instance. Host functions call a GPU by themselves, whatever was asked for.
enum class RunsOn : std::uint8_t { emulated, cuda };

/// One instance of one subject.
struct Assignment {
  const Subject* subject = nullptr;
  const Instance* instance = nullptr;
  RunsOn device = RunsOn::emulated;
  const compute_sanitizer::Tool* tool = nullptr;  ///< that watches the GPU
  bool is_large = false;                          ///< checked by sums that fill gigabytes, on the GPU
};

/// In a run of more instances than this, those of one contract share cases: they differ in types and
/// operators, not in how threads meet.
inline constexpr std::size_t many_instances = 500;
inline constexpr std::uint64_t shared_cases = 80, least_cases = 12;  ///< together, and of each

struct CampaignOptions {
  AuditOptions audit;  ///< its budget, cases and largest count are set per instance from those here
  std::optional<std::uint64_t> largest_count;  ///< absent: what suits the device
  /// An instance; absent: those of AuditOptions, or its share.
  std::optional<std::uint64_t> cases;
  bool shares_cases = false;
  std::optional<std::chrono::milliseconds> budget;  ///< of the whole campaign
  std::optional<std::filesystem::path> store;       ///< failing cases; absent: beside each contract
  std::optional<Case> only_case;                    ///< run this case instead of generated ones
  bool counters = false;                            ///< count what a representative case does
  bool coverage = false;                            ///< report how many cases of each class were tried
  unsigned jobs = 1;
  std::chrono::milliseconds case_limit = std::chrono::seconds(10);  ///< on a GPU
  LargeAuditTools large_tools;                                      ///< where an assignment is large
};

struct CampaignResult {
  AuditReport report;
  bool interrupted = false;
  std::optional<std::vector<MutationReport>> proof;  ///< --prove: what mutants of the clean kernels showed
  /// Set when not a single instance could begin: what was wrong with the input.
  std::optional<InputError> wrong_input;
};

/// The share of a run's remaining time for the task that starts now, where `left` have not begun.
std::chrono::milliseconds share(std::chrono::milliseconds budget, double elapsed, std::size_t left,
                                unsigned jobs);

CampaignResult run_campaign(const std::vector<Assignment>& assignments, const CampaignOptions& options,
                            ProgressLine& line);

/// Prints the report and returns the exit status. Throws InputError when nothing could begin.
Exit conclude(const CampaignResult& result, Severity fail_on, const Console& console, ProgressLine& line);

}  // namespace foldproof
