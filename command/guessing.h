// Contracts for sources that have none: guessed, then tried out once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"

namespace foldproof {

/// As guess_contracts, but where a launch shows that a kernel is made for smaller blocks, it gets those.
/// Throws Interrupted when the user ends that.
std::vector<Contract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                        const CompileOptions& options, std::vector<std::string>& said);

}  // namespace foldproof
