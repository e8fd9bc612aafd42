// What a run is about: the contracts that a path stands for, and their compiled sources.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "contracts/compile.h"
#include "contracts/contract.h"

namespace foldproof {

/// A contract, with its compiled source once compile_subjects has run.
struct Subject {
  Contract contract;
  std::shared_ptr<const Image> image;
};

/// The contracts of a folder (an empty path: of the shipped kernels), of a contract's own file, or of a
/// source with a contract beside it. `contract`, where it is not empty, is the contract of the source `path`.
/// Several wrong contracts are all complained about; then the last one's InputError is thrown.
std::vector<Subject> load_subjects(const std::filesystem::path& path, const std::filesystem::path& contract,
                                   const Console& console);

/// Compiles every subject, several at a time. Throws like load_subjects; throws Interrupted when the user
/// ends the run.
void compile_subjects(std::vector<Subject>& subjects, const CompileOptions& options, unsigned jobs,
                      const Console& console, ProgressLine& line);

/// Where the kernels that come with Foldproof are: beside the installed program, else in the source tree
/// that the program was built from. Throws InputError when neither is there.
std::filesystem::path shipped_kernels();

/// As many processes as the machine has cores for this one.
unsigned default_jobs();

}  // namespace foldproof
