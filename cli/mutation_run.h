// Checks mutants of many instances in several processes.
#pragma once

#include <chrono>
#include <string>
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

/// The mutants of one assignment.
struct AssignedMutants {
  std::vector<Mutant> mutants;
  std::string reason;  ///< why there are none; empty if there are, or if the kernel has none
};

/// The mutants of each assignment, up to 2^17 in total. With a deadline, none is generated after it, nor from
/// a PTX text of more than 16 MiB, which takes a second to parse; an interrupt likewise ends the search.
std::vector<AssignedMutants> mutants_of(const std::vector<Assignment>& assignments, Deadline deadline = {});

/// Checks the mutants of each assignment. The annotations must have been checked by check_all_equivalents().
MutationRun run_mutations(const std::vector<Assignment>& assignments,
                          const std::vector<AssignedMutants>& mutants, const MutationRunOptions& options,
                          ProgressLine& line);

}  // namespace foldproof
