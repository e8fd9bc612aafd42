// Mutation: deletes or weakens one thing at a time in a clean kernel's PTX, to see whether it is detected.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

/// One statement of PTX and its replacement.
struct Edit {
  std::uint32_t begin = 0, end = 0;  ///< bytes of the text
  std::string replacement;
  std::uint32_t ptx_line = 0;
  unsigned column = 0;  ///< of the source line
};

/// One change of the source. After inlining and unrolling, its line may occur several times in the PTX.
struct Mutant {
  std::string mutation;  ///< "delete-barrier"
  std::string change;    ///< imperative: "delete the barrier"
  Position at;           ///< innermost frame in the user's source; the PTX line without `.loc`
  std::vector<Edit> edits;
};

/// Called before each statement with the number of mutants so far; returns whether the search continues.
using Continue = std::function<bool(std::size_t mutants)>;

/// All mutants, by source line, of the kernels that the instance launches and of the functions that they
/// call; only some of them if `goes_on` returned false. The contract must be compiled. Throws InputError for
/// invalid PTX.
std::vector<Mutant> mutants_of(const Instance& instance, const Image& image, const Continue& goes_on = {});

/// The image with one edit applied.
Image mutated(const Image& image, const Edit& edit);

enum class MutantStatus : std::uint8_t {
  killed,      ///< every edit was detected
  survived,    ///< at least one edit was tried on all cases and not detected
  equivalent,  ///< survived, and the contract states why it has no effect
  invalid,     ///< no device loads the changed text
  skipped      ///< not finished: the time or the process ended before all of its cases were tried
};
std::string_view name(MutantStatus status);

struct MutantReport {
  std::string mutation, change;
  Position at;
  std::uint32_t ptx_line = 0;  ///< of an edit that survived, otherwise of the one that is shown
  std::uint64_t edits = 0;
  std::uint64_t alive = 0;  ///< edits that were not detected
  MutantStatus status = MutantStatus::skipped;
  std::uint64_t cases = 0;        ///< tried on the edit that is shown
  std::optional<Finding> killer;  ///< of a survivor, a finding too weak to fail an audit
  std::string reason;             ///< why it is equivalent or invalid
};

/// The report of a mutant before it is tried.
MutantReport untried(const Mutant& mutant);

/// The mutation results of one instance.
struct MutationReport {
  std::string kernel, id, label, file;
  std::vector<MutantReport> mutants;
  std::vector<InputError> wrong_equivalents;  ///< annotations of mutants that were detected
  std::string reason;                         ///< why there is no result
  double seconds = 0;

  std::uint64_t count(MutantStatus status) const;
};

/// Killed mutants as a percentage of those killed or survived; nothing if there are none.
std::optional<double> score(std::span<const MutationReport> reports);

/// The exit status for the reports: exit_findings for a score below the floor or a wrong equivalent-mutant
/// annotation; otherwise exit_unable if there is no result, if a report has mutants and none was finished,
/// or, with a floor, if a mutant was not finished.
Exit exit_status(std::span<const MutationReport> reports, std::optional<double> floor);

struct MutationOptions {
  std::uint64_t cases = 100;               ///< tried on a mutant before it counts as survived
  std::uint64_t seed = 1;                  ///< the cases are those of an audit with this seed
  std::uint64_t largest_count = 1u << 16;  ///< elements
  Severity fail_on = Severity::warning;    ///< of findings that kill; the unmodified kernel must have none
  /// Mutants that were not tried on all cases by then are skipped, as they are if end_reason() gives a
  /// reason.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::function<void(std::uint64_t done)> progress;  ///< mutants whose status is known
};

/// Creates a runner with all checks; every mutant gets its own.
using MakeRunner = std::function<std::unique_ptr<Runner>()>;

/// Tries the mutants on few cases first, since most are killed early. Throws InputError if the unmodified
/// kernel has findings, which would hide the effect of a mutant, or cannot be run.
std::vector<MutantReport> try_mutants(const Contract& contract, const Instance& instance,
                                      const std::shared_ptr<const Image>& image,
                                      std::span<const Mutant> mutants, const MakeRunner& make_runner,
                                      const MutationOptions& options);

/// The equivalent-mutant annotations ([[equivalent]]) of a contract, which must outlive this object. It reads
/// each source once, when it first encounters a mutant of it. Throws InputError if a source cannot be read.
class EquivalentMutants {
 public:
  explicit EquivalentMutants(const Contract& contract) : contract_(contract) {}

  /// Throws InputError for an annotation that names an unknown mutation, quotes code that its line does not
  /// contain, or fits none of `mutants`: those of all the contract's instances.
  void check(std::span<const Mutant> mutants) const;

  /// Whether the mutant with this many surviving edits is annotated.
  bool include(const Mutant& mutant, std::uint64_t alive) const;

  /// Marks survivors that are annotated, and records annotations of mutants that were killed.
  void apply(MutationReport& report) const;

 private:
  using Annotations = std::vector<const Equivalent*>;
  /// The annotations that a mutant fits, in their order.
  Annotations fitting(const std::string& mutation, const std::string& change, const Position& at) const;
  /// The annotations that at least one of the mutants fits.
  std::set<const Equivalent*> fitted_by(std::span<const Mutant> mutants) const;
  /// The line in the source of each annotation's statement; 0 if it matches none or several, or if the
  /// annotation is about another source.
  const std::vector<unsigned>& lines_in(const std::string& source) const;
  /// Throws InputError unless the annotation's code identifies one line of the source.
  void check_statement(const Equivalent& equivalent, const std::string& source) const;

  const Contract& contract_;
  mutable std::map<std::string, std::vector<unsigned>> lines_;  ///< what lines_in() has returned, by source
};

}  // namespace foldproof
