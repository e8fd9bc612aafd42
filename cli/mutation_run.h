// Checks mutants of many instances in several processes.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cli/campaign.h"
#include "command/console.h"
#include "properties/mutation.h"

namespace foldproof {

struct MutationRunOptions {
  MutationOptions mutation;  ///< its deadline is a share of the time until `deadline`
  Deadline deadline;         ///< of the whole run
  unsigned jobs = 1;
};

struct MutationRun {
  std::string device;                   ///< name of the device
  std::vector<MutationReport> reports;  ///< in the order of the assignments
  bool interrupted = false;
};

/// One instance per contract: the first type and operator of its matrix, with the last of the numbers (block
/// sizes) listed for them, which leaves the least code idle.
std::vector<Assignment> representatives(const std::vector<Assignment>& assignments);

/// Throws InputError for an equivalent-mutant annotation that matches nothing. The annotations of a contract
/// are compared with the mutants of all its instances, whichever of them are run. Subjects without an
/// image are left out.
void check_all_equivalents(const std::vector<Assignment>& assignments);

/// The mutants of each assignment; none of a subject without an image.
std::vector<std::vector<Mutant>> mutants_of(const std::vector<Assignment>& assignments);

/// Checks the mutants of each assignment. The annotations must have been checked by check_all_equivalents().
MutationRun run_mutations(const std::vector<Assignment>& assignments,
                          const std::vector<std::vector<Mutant>>& mutants, const MutationRunOptions& options,
                          ProgressLine& line);

}  // namespace foldproof
