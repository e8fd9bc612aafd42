// The subjects of a run: the contracts to which a path refers, and their compiled sources.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command/console.h"
#include "contracts/compile.h"
#include "contracts/contract.h"
#include "contracts/reference.h"
#include "properties/verdict.h"

namespace foldproof {

/// Why the instances of a contract are not audited.
struct Obstacle {
  Verdict verdict;  ///< skipped: it does not run here or now; no_fit; error: its source cannot be compiled
  std::string reason;
};

/// A contract and, after its compilation (command/compilation.h), its compiled source.
struct Subject {
  Contract contract;
  /// For the reports of all instances: what was assumed without a contract.
  std::vector<std::string> notes = {};
  /// Kernels and launches of its source that no contract includes.
  std::vector<std::string> not_audited = {};
  std::vector<std::string> files_read = {};  ///< by the compiler; empty if that is unknown
  std::shared_ptr<const Image> image = nullptr;
  /// Of the contract or, without one, of the source; settled (base/files.h), since a link may replace it.
  std::filesystem::path folder = {};
  std::optional<Obstacle> obstacle = {};
  bool is_out_of_time = false;      ///< the obstacle is that the time budget was exhausted
  bool has_other_contract = false;  ///< guessed, although a contract for another kernel is next to the source
  /// All contracts of its source were looked up, so kernels that none of them launches are noted.
  bool covers_source = false;

  /// Whether nothing keeps its instances from being audited, except for an unfinished compilation.
  bool can_run() const { return !obstacle; }
  bool is_guessed() const { return contract.file.empty(); }
};

/// The user's choice.
struct SubjectChoice {
  std::filesystem::path path;               ///< a source, a contract, or a folder; empty: the shipped kernels
  std::filesystem::path contract;           ///< if it is not the one next to `path`, then a source or empty
  std::string entry;                        ///< only this kernel; a contract is guessed if none launches it
  Trust trust = Trust::limited;             ///< in the contracts; the shipped ones are always trusted
  std::optional<Reference> reference = {};  ///< for the kernels of a source, whatever contract is next to it
};

/// Subjects with guessed contracts for that kernel of the source, or for all, whatever contract is next to
/// it.
std::vector<Subject> guessed_subjects(const std::filesystem::path& source, const std::string& entry,
                                      const CompileOptions& options,
                                      const std::optional<Reference>& reference = {});

/// The instances that launch the kernel of that spelling, in the order of the subjects, into which they
/// point. The contracts are not compiled, so the spellings are compared as text: an instance counts if its
/// contract has the same one, or, if none has, the same one with template arguments. A shorter name could be
/// that of another kernel. An empty name selects every kernel. A guessed instance always counts: it was
/// guessed for the chosen kernel.
std::vector<std::pair<const Subject*, const Instance*>> launching_instances(
    const std::vector<Subject>& subjects, const std::string& entry);

/// All contracts of a folder, a contract, the contract next to a source, or otherwise one guessed for it; and
/// the errors in those that cannot be read. If the choice names an entry, only contracts that launch it.
struct LoadedSubjects {
  std::vector<Subject> subjects;
  std::vector<InputError> errors;
};
LoadedSubjects load_readable_subjects(const SubjectChoice& choice, const CompileOptions& options);

/// The same if all must be valid: complains about every invalid contract, and throws the InputError of the
/// last.
std::vector<Subject> load_subjects(const SubjectChoice& choice, const CompileOptions& options,
                                   const Console& console);

void complain(std::span<const InputError> errors, const Console& console);

/// Complains about all errors but the last, and throws that one; does nothing if there is none.
void throw_last(const std::vector<InputError>& errors, const Console& console);

/// The subjects of a path that are launched as kernels and meant to be right: no host functions, no defects.
std::vector<Subject> load_right_subjects(const std::filesystem::path& path, const CompileOptions& options,
                                         const Console& console);

/// The instances that have a result to check, in the order of the subjects, into which they point.
std::vector<std::pair<const Subject*, const Instance*>> checked_instances(
    const std::vector<Subject>& subjects);

/// Skips host functions if there is no GPU, or fewer GPUs than they use. Returns the name of the GPU that
/// runs the others; empty if there are none.
std::string skip_without_gpu(std::vector<Subject>& subjects, Deadline deadline = {});

/// The folder of the bundled kernels: next to the installed program, otherwise in the source tree from which
/// the program was built. Throws InputError if neither exists.
std::filesystem::path shipped_kernels();

/// The number of cores that are available to this process.
unsigned default_jobs();

}  // namespace foldproof
