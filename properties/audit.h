// Audits one instance of a contract: generates cases, runs them, checks the results and shrinks failures.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "properties/case.h"
#include "properties/generation/domain.h"
#include "properties/verdict.h"

namespace foldproof {

struct AuditOptions {
  std::uint64_t cases = 40;  ///< per instance
  bool shrinks = true;       ///< otherwise the first case that shows a finding is reported
  bool notes_missed = true;  ///< add a note on the classes of cases that were not sampled
  bool tries_stored = true;  ///< run stored cases first; otherwise only generated ones
  /// Number of cases, the last ones, that are guided towards a larger error if a bound checks values; absent:
  /// a quarter and at least 4, but no more than half.
  std::optional<std::uint64_t> guided;
  /// This instance's share of a run's budget; stops generating when spent.
  std::optional<std::chrono::milliseconds> budget;
  /// If the budget ends the audit after fewer generated cases, the verdict is `skipped`; absent: all.
  std::optional<std::uint64_t> least_cases;
  std::uint64_t seed = 1;  ///< a case's seed is a hash of this, the instance and the case's index
  std::uint64_t largest_count = usual_largest_count;  ///< elements
  /// Folder of failing cases, which are also tried first; absent: the user's cache, whose cases are not
  /// tried.
  std::optional<std::filesystem::path> store;
  std::vector<std::filesystem::path> other_stores;  ///< whose cases are tried as well
  /// Called after every evaluation of a case.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
  /// Called with what is known whenever a finding is new, in case the process does not survive what
  /// follows. The verdict is `skipped` if the findings alone do not decide it.
  std::function<void(const KernelReport&)> so_far;
  std::chrono::milliseconds
      case_limit{};  ///< named in the report if a case exceeds it; the caller enforces it
};

/// Generates and checks up to `options.cases` cases; fewer if end_reason() (base/interrupts.h) gives a
/// reason, which the report states. Never throws because of the kernel's behaviour; throws InputError for a
/// contract that cannot be run (an expression that fails, an argument that does not fit its parameter).
KernelReport audit_instance(const Contract& contract, const Instance& instance,
                            const std::shared_ptr<const Image>& image, Runner& runner,
                            const AuditOptions& options);

/// Checks one case without shrinking or storing it. Throws InputError like audit_instance, and for a case
/// outside the contract's domain.
KernelReport replay_case(const Contract& contract, const Instance& instance,
                         const std::shared_ptr<const Image>& image, Runner& runner, const Case& c,
                         const AuditOptions& options);

}  // namespace foldproof
