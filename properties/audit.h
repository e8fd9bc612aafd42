// Audits one instance of a contract: generates cases, runs them, checks the results, shrinks what fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "properties/case.h"
#include "properties/verdict.h"

namespace foldproof {

struct AuditOptions {
  std::uint64_t cases = 40;  ///< per instance
  bool shrinks = true;       ///< else the first case that shows a finding speaks for it
  bool notes_missed = true;  ///< a note says what kinds of cases were not among them
  bool tries_stored = true;  ///< cases that were kept come first; else there are none but the drawn ones
  /// Of the cases, the last so many are guided towards a larger error, where a bound checks values values;
  /// absent: a quarter and at least 4, but no more than half.
  std::optional<std::uint64_t> guided;
  std::optional<std::chrono::milliseconds> budget;  ///< per instance; stops generating when spent
  std::uint64_t seed = 1;  ///< a case's seed is a hash of this, the instance and its index
  /// Elements; what the emulated device can do in time. A block more than 256 of 256 threads, 64 of 1024, ….
  std::uint64_t largest_count = (1u << 16) + (1u << 10);
  /// Where failing cases are kept, to be tried first; absent: in the user's cache, and not tried.
  std::optional<std::filesystem::path> store;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
  std::function<bool()> is_to_end;  ///< asked between runs: then the report is of what was checked until then
};

/// What a report says before anything was checked: which kernel, which instance, which file.
KernelReport empty_report(const Contract& contract, const Instance& instance);

/// Generates and checks up to `options.cases` cases. Never throws for what the kernel does; throws InputError
/// for a contract that cannot be run (an expression that fails, an argument that does not fit its parameter).
KernelReport audit_instance(const Contract& contract, const Instance& instance,
                            const std::shared_ptr<const Image>& image, Runner& runner,
                            const AuditOptions& options);

/// Checks one case and neither shrinks nor keeps it. Throws InputError like audit_instance, and for a case
/// outside the contract's domain.
KernelReport replay_case(const Contract& contract, const Instance& instance,
                         const std::shared_ptr<const Image>& image, Runner& runner, const Case& c,
                         const AuditOptions& options);

}  // namespace foldproof
