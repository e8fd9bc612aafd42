// A contract for a kernel that has none, guessed from its signature and its PTX; and that guess as a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"

namespace foldproof {

/// One contract, with one instance, for each kernel of the source: those that it instantiates, or else its
/// templates with usual arguments (float, 256). With `entry` (as C++ spells it) for that kernel alone.
/// Every guess is added to `said` as a sentence. Throws InputError where a kernel cannot be guessed at (with
/// several kernels: where none can), with the reason.
std::vector<Contract> guess_contracts(const std::filesystem::path& source, const std::string& entry,
                                      const CompileOptions& options, std::vector<std::string>& said);

/// The contract's first instance as commented TOML that load_contract reads, when it stands beside the
/// source.
std::string starter_contract(const Contract& contract);

}  // namespace foldproof
