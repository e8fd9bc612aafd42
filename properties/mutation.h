// Mutation: one thing in a clean kernel's PTX is deleted or weakened at a time, to see whether anything
// notices.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "properties/verdict.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// A row of properties/mutation/mutations.def.
struct MutationInfo {
  std::string_view name, does;
};
std::vector<MutationInfo> mutations();

/// One statement of PTX, and what stands there instead.
struct Edit {
  std::uint32_t begin = 0, end = 0;  ///< bytes of the text
  std::string replacement;
  std::uint32_t ptx_line = 0;
  unsigned column = 0;  ///< of the source line
};

/// One change of the source. A compiler inlines and unrolls: the line may stand in PTX several times.
struct Mutant {
  std::string mutation;  ///< "delete-barrier"
  std::string change;    ///< an order: "delete the barrier"
  Position at;           ///< innermost frame in the user's source; the PTX line where there is no `.loc`
  std::vector<Edit> edits;
};

/// All mutants of the kernels that the instance launches and of what those call, by source line. The contract
/// was compiled. Throws InputError for PTX that is none.
std::vector<Mutant> mutants_of(const Instance& instance, const Image& image);

/// The image with one edit made.
Image mutated(const Image& image, const Edit& edit);

enum class MutantStatus : std::uint8_t {
  killed,      ///< every edit was noticed
  survived,    ///< at least one edit was not
  equivalent,  ///< survived, and the contract says why it cannot matter
  invalid,     ///< no device loads the changed text
  skipped      ///< the time was spent before anything was tried
};
std::string_view name(MutantStatus status);

struct MutantReport {
  std::string mutation, change;
  Position at;
  std::uint32_t ptx_line = 0;  ///< of the edit that survived, else of the first
  std::uint64_t edits = 0;
  std::uint64_t alive = 0;  ///< edits that were not noticed
  MutantStatus status = MutantStatus::skipped;
  std::uint64_t cases = 0;  ///< that the survivor was tried on, or the first edit up to its end
  std::optional<Finding>
      killer;          ///< what was found in it; of a survivor, a finding too weak to fail an audit
  std::string reason;  ///< why it is equivalent or invalid
};

/// What mutation says of one instance.
struct MutationReport {
  std::string kernel, id, label, file;
  std::vector<MutantReport> mutants;
  std::vector<InputError> wrong_equivalents;  ///< the contract excuses mutants that were noticed
  std::string reason;                         ///< why there is no result
  double seconds = 0;

  std::uint64_t count(MutantStatus status) const;
};

/// Killed mutants of those killed or survived, in percent; 100 where there are none.
double score(std::span<const MutationReport> reports);

/// The exit status that the reports ask for: exit_findings for a score below the floor or an excuse that is
/// wrong, else exit_unable where there is no result, or where a mutant that a floor counts was not tried.
Exit exit_status(std::span<const MutationReport> reports, std::optional<double> floor);

struct MutationOptions {
  std::uint64_t cases = 100;               ///< tried on a mutant before it survives
  std::uint64_t seed = 1;                  ///< the cases are those of an audit with this seed
  std::uint64_t largest_count = 1u << 16;  ///< elements
  Severity fail_on = Severity::warning;  ///< a finding below it kills nothing; a clean kernel has none at all
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::function<void(std::uint64_t done)> progress;  ///< mutants whose status is known
};

/// Makes a runner with all checks; every mutant gets its own.
using MakeRunner = std::function<std::unique_ptr<Runner>()>;

/// Tries the mutants, few cases first, since most die early. Throws InputError where the kernel as it is has
/// findings, which would hide what a mutant changes, or cannot be run.
std::vector<MutantReport> try_mutants(const Contract& contract, const Instance& instance,
                                      const std::shared_ptr<const Image>& image,
                                      std::span<const Mutant> mutants, const MakeRunner& make_runner,
                                      const MutationOptions& options);

/// Throws InputError for an excuse ([[equivalent]]) of the contract that names no mutation, quotes what its
/// line does not hold, or fits none of `mutants`: those of all the contract's instances.
void check_equivalents(const Contract& contract, std::span<const Mutant> mutants);

/// Whether the contract excuses a mutant of which so many statements live.
bool is_equivalent(const Contract& contract, const Mutant& mutant, std::uint64_t alive);

/// Turns survivors that the contract excuses into equivalents, and complains about excuses for mutants that
/// were killed.
void apply_equivalents(MutationReport& report, const Contract& contract);

}  // namespace foldproof
