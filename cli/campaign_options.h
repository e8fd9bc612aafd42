// What a campaign audits, and how: its options, and those of each assignment.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "command/subjects.h"
#include "properties/audit.h"
#include "properties/case.h"
#include "properties/large_audit.h"
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
  std::string replay_options = {};  ///< for the compilation, as words of a command with a leading blank
  /// Per case; absent: gpu_case_limit or emulated_case_limit.
  std::optional<std::chrono::milliseconds> case_limit;
  LargeAuditTools large_tools;  ///< required if an assignment is large
  /// Called with the reports of adjacent assignments of one subject once all of them have been audited.
  std::function<void(std::span<const KernelReport>)> subject_done;
};

/// Throws InputError if they are more than most_instances.
void check_number(const std::vector<Assignment>& assignments);

/// Declares --case-limit; parse_duration() reads its value.
void add_case_limit(CLI::App& app, std::string& value);

/// The number of cases that are generated for the assignment.
std::uint64_t cases_of(const Assignment& assignment, const CampaignOptions& options);

/// The options of one assignment, except for its share of the budget.
CampaignOptions options_of(const Assignment& assignment, const CampaignOptions& options,
                           const TaskReporter& reporter);

}  // namespace foldproof
