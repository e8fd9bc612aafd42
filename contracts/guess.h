// Guesses a contract for a kernel that has none from its signature and its PTX, and writes the guess as a
// file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"
#include "contracts/reference.h"

namespace foldproof {

/// One contract, with one instance, for each kernel of the source: those that it instantiates, and its other
/// templates with common arguments (float, 256). With `entry` (C++ spelling), only for that kernel; with a
/// `reference`, for kernels that compute that. Adds to `left_out` one sentence for every kernel without a
/// contract. Throws InputError with the reason if a kernel cannot be guessed (if the source has several: if
/// none can).
std::vector<Contract> guess_contracts(const std::filesystem::path& source, const std::string& entry,
                                      const CompileOptions& options, std::vector<std::string>& left_out,
                                      const std::optional<Reference>& reference = {});

/// Everything that was assumed about the kernel of a guessed contract, in one sentence.
std::string assumed(const Contract& contract);

/// The contract's first instance as commented TOML, which load_contract can read if it is next to the source.
std::string starter_contract(const Contract& contract);

}  // namespace foldproof
