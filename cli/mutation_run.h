// Mutants of many instances, checked in processes of their own.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cli/campaign.h"
#include "command/console.h"
#include "properties/mutation.h"

namespace foldproof {

struct MutationRunOptions {
  MutationOptions mutation;                         ///< its deadline is set from `budget`
  std::optional<std::chrono::milliseconds> budget;  ///< of the whole run
  unsigned jobs = 1;
};

struct MutationRun {
  std::string device;                   ///< its name
  std::vector<MutationReport> reports;  ///< in the order of the assignments
  bool interrupted = false;
};

/// One instance a contract: the first type and operator of its matrix, and of the numbers (block sizes) that
/// it lists for them the last, which leaves least of the code idle.
std::vector<Assignment> representatives(const std::vector<Assignment>& assignments);

/// Throws InputError for an excuse of a contract that fits nothing. Excuses are held against the mutants of
/// all its instances, whichever of them are run. The subjects are compiled.
void check_all_equivalents(const std::vector<Assignment>& assignments);

/// The excuses were checked.
MutationRun run_mutations(const std::vector<Assignment>& assignments, const MutationRunOptions& options,
                          ProgressLine& line);

}  // namespace foldproof
