// Contracts for a source that has none: guessed, then tried on the emulated device.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"
#include "contracts/reference.h"

namespace foldproof {

struct GuessedContract {
  Contract contract;
  std::shared_ptr<const Image> image;  ///< null if it could not be compiled, with the reason in `no_fit`
  bool is_out_of_time = true;          ///< the deadline passed before the contract could be tried
  std::vector<std::string> not_audited = {};  ///< launches of the source that trial runs may not cover
};

/// One contract for each kernel, or for the kernel `entry`, as guess_kernels finds them: the likeliest one
/// or, if that does not explain the results of every trial run, the candidate that explains most of them,
/// with the preconditions that trial runs show. It has `no_fit` if none explains the results, and neither a
/// `reference` nor the name says what the kernel computes; if the result depends on a number that nothing
/// suggests; or if nothing explains what the kernel stores to another output. Throws InputError like
/// guess_kernels, and Interrupted if the user interrupts it. Once a contract can be audited, the trials
/// take at most half of the time that is left until the deadline. `most`: the number of kernels, as in
/// representative_instances(), unless `entry` is given.
std::vector<GuessedContract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                               const CompileOptions& options,
                                               const std::optional<Reference>& reference = {},
                                               std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace foldproof
