// Contracts for sources that have none: guessed, then tried once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"

namespace foldproof {

/// Like guess_contracts, but if a launch shows that a kernel is written for smaller blocks, the contract gets
/// those. Throws Interrupted if the user interrupts it.
std::vector<Contract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                        const CompileOptions& options, std::vector<std::string>& said);

}  // namespace foldproof
