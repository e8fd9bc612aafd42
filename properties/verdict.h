// The audit result of one instance of a kernel: the structure from which every report is written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "contracts/placeholders.h"
#include "oracles/checker.h"
#include "sanitizer/counters.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// The rows of verdicts.def; docs/findings.md says what each one means.
enum class Verdict : std::uint8_t {
#define FOLDPROOF_VERDICT(id, name, counted, color) id,
#include "properties/verdicts.def"
#undef FOLDPROOF_VERDICT
};
std::string_view name(Verdict verdict);
/// Nothing if no verdict has this name.
std::optional<Verdict> verdict_named(std::string_view name);

/// The order in which a kernel combined its input, from the largest traced case whose order can be named.
struct OrderShown {
  std::string order;           ///< in words (oracles/summation_tree.h), or why there is no tree
  std::uint64_t height = 0;    ///< most additions on one element's path
  std::uint64_t elements = 0;  ///< in that case
};

/// How accurate a kernel was over all of its cases, and the evidence for it.
struct Accuracy {
  static constexpr std::size_t kinds_of_evidence = 5;

  std::array<std::uint64_t, kinds_of_evidence> checked_by{};  ///< cases, by CheckResult::Evidence
  std::string why_not;               ///< the most frequent reason why a value was not checked
  std::optional<double> worst_ulps;  ///< absent: no finite value was checked
  /// For the case with the largest error/bound: what checked it, and whether that bound is vacuous.
  std::optional<CheckResult::Evidence> worst_by;
  bool worst_is_vacuous = false;
  std::optional<BoundedResult> worst;  ///< its result
  std::optional<OrderShown> order;     ///< absent: no case was traced
};

/// "nothing", "category", "exact", "bound", "tree".
std::string_view name(CheckResult::Evidence evidence);

/// The counters of a kernel in one case.
struct Counted {
  std::string case_text;  ///< empty for an explicitly requested launch
  Counters counters;
  bool operator==(const Counted&) const = default;
};

/// Cases by class, such as "counts modulo 32" with the number of cases for each remainder.
struct CoverageGroup {
  struct Class {
    std::string name;
    std::uint64_t cases = 0;
    bool operator==(const Class&) const = default;
  };
  std::string name;
  std::vector<Class> classes;
  bool operator==(const CoverageGroup&) const = default;
};

/// What a suppression accepted, if it still holds.
struct Accepted {
  Kind kind;
  std::string at, reason, until;  ///< as in the contract
  std::uint64_t findings = 0;     ///< that it names; a race may be named twice
  bool operator==(const Accepted&) const = default;
};

struct KernelReport {
  std::string kernel;    ///< display name: "A5 sequential f32 sum" or the entry's name
  std::string entry;     ///< C++ spelling of the (first) entry
  std::string id;        ///< the contract's id; empty if there is none
  std::string label;     ///< the instance: "T=f32,B=128"
  Bindings bindings;     ///< of the instance, if known
  std::string file;      ///< the source
  std::string contract;  ///< its file; empty if it was guessed
  std::string device;    ///< "emulated", "cuda", "cuda/racecheck", "cuda/large", or "host" (docs/json.md)
  Verdict verdict = Verdict::clean;
  bool expected = false;    ///< a defect was found as announced (triage.h), and nothing unexpected
  std::uint64_t cases = 0;  ///< cases checked
  std::optional<double> worst_error_over_bound;  ///< absent: nothing was rounded, or nothing was checked
  std::string worst_case;                        ///< the case with that ratio, as text
  Accuracy accuracy;
  /// By variable of the domain: the largest value that was tried, if larger ones are claimed.
  std::map<std::string, std::int64_t> untried_above;
  std::vector<Finding> findings;
  std::vector<Accepted> accepted;  ///< for each suppression that still holds
  std::vector<std::string> notes;  ///< under-sampled classes, an exhausted budget, guesses
  /// What the source or a store names, and no case of this report showed: kernels, launches, stored cases.
  std::vector<std::string> not_audited;
  std::string reason;       ///< why no-fit, unchecked, unsupported, skipped or error; or why a kernel
                            ///< with nothing but warnings was not checked as intended
  bool is_cut_off = false;  ///< the time budget ended the audit before all cases
  double seconds = 0;
  std::optional<std::uint64_t> warp_instructions = 0;  ///< executed; absent if the device does not count them
  std::optional<Counted> counters;                     ///< absent: not requested, or not available
  std::vector<CoverageGroup> coverage;                 ///< of the cases checked; empty unless requested
};

/// A requested device that is not available.
struct SkippedDevice {
  std::string device, reason;
};

struct AuditReport {
  std::string device;  ///< name of the device that ran the kernels
  std::uint64_t seed = 0;
  std::vector<KernelReport> kernels;
  std::vector<SkippedDevice> skipped_devices = {};
  std::vector<std::string> sources_without_contract = {};  ///< of an audited folder: files with kernels
};

/// Whether it is about lost or repeated elements.
bool is_about_uses(const Finding& finding);

/// A finding may be the consequence of one of a lower rank.
enum class Rank : std::uint8_t {
  undefined_behaviour,
  undefined_value,
  uses,     ///< lost and repeated elements
  other,    ///< among others, wrong numbers
  category  ///< wrong NaNs and infinities
};
Rank rank_of(const Finding& finding);
/// Errors come first, then findings of a lower rank.
std::pair<bool, Rank> order_in_report(const Finding& finding);

/// The program's exit statuses.
enum Exit : int {
  exit_ok = 0,
  exit_findings = 1,  ///< an unexpected finding, or an equivalent failure
  exit_usage = 2,     ///< usage error, invalid contract or source; takes precedence over findings
  exit_unable = 3,    ///< something could not run or was not checked: no device, an unsupported instruction
  exit_interrupted = 130
};

/// The exit status of a report: exit_findings for an unexpected finding of severity `fail_on` or above (or a
/// defect without its announced finding), otherwise exit_unable if something could not run or was not
/// checked, otherwise exit_ok. Skipped kernels, such as host functions without a GPU, count only if nothing
/// else ran.
Exit exit_status(const AuditReport& report, Severity fail_on);

/// Whether every finding is a warning, or announced by the source.
bool has_only_warnings(const KernelReport& report);

/// Whether the report makes the status exit_unable unless a finding fails: the kernel could not run, or was
/// not checked as intended, whether or not there are warnings.
bool is_open(const KernelReport& report);

/// Whether something that a source, a folder or a store names was not audited.
bool leaves_something_out(const AuditReport& report);

/// The status of a run that is incomplete unless `is_complete`: findings and errors take precedence.
constexpr Exit exit_status(Exit status, bool is_complete) {
  return status == exit_ok && !is_complete ? exit_unable : status;
}

/// The report before anything was checked: kernel, instance and file; or why it was not checked.
KernelReport empty_report(const Contract& contract, const Instance& instance,
                          Verdict verdict = Verdict::clean, const std::string& reason = "");

}  // namespace foldproof
