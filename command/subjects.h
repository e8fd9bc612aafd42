// What a run is about: the contracts that a path stands for, and their compiled sources.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command/console.h"
#include "contracts/compile.h"
#include "contracts/contract.h"

namespace foldproof {

/// A contract, with its compiled source once compile_subjects has run.
struct Subject {
  Contract contract;
  std::vector<std::string> guesses;  ///< what was guessed, a sentence each, where there was no contract
  std::shared_ptr<const Image> image;
  std::string skipped = {};  ///< why none of it runs here, and nothing is compiled; empty where it does
};

/// What the user named.
struct SubjectChoice {
  std::filesystem::path path;      ///< a source, a contract, or a folder; empty: the shipped kernels
  std::filesystem::path contract;  ///< of the source `path`, where it is not the one beside it
  std::string entry;               ///< the kernel to guess a contract for, where a source has none
};

/// All contracts of a folder, a contract, the contract beside a source, or else one guessed for it; and what
/// is wrong with those that cannot be read.
struct LoadedSubjects {
  std::vector<Subject> subjects;
  std::vector<InputError> errors;
};
LoadedSubjects load_readable_subjects(const SubjectChoice& choice, const CompileOptions& options);

/// The same where all must be right: wrong contracts are all complained about, and the last one's InputError
/// is thrown.
std::vector<Subject> load_subjects(const SubjectChoice& choice, const CompileOptions& options,
                                   const Console& console);

/// Of a path those that are run by launches and meant to be right: no host functions, no defects.
std::vector<Subject> load_right_subjects(const std::filesystem::path& path, const CompileOptions& options,
                                         const Console& console);

/// Instances that have a result to check; in the order of the subjects, which they point into.
std::vector<std::pair<const Subject*, const Instance*>> checked_instances(
    const std::vector<Subject>& subjects);

/// Skips host functions where there is no GPU, or not as many as they are about; says which GPU runs
/// the others. Empty where none does.
std::string skip_without_gpu(std::vector<Subject>& subjects);

/// Compiles every subject that is not skipped, several at a time. Throws like load_subjects; throws
/// Interrupted when the user ends the run.
void compile_subjects(std::vector<Subject>& subjects, const CompileOptions& options, unsigned jobs,
                      const Console& console, ProgressLine& line);

/// Where the kernels that come with Foldproof are: beside the installed program, else in the source tree
/// that the program was built from. Throws InputError when neither is there.
std::filesystem::path shipped_kernels();

/// As many processes as the machine has cores for this one.
unsigned default_jobs();

}  // namespace foldproof
