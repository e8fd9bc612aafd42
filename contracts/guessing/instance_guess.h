// Guesses the instance of a contract from a kernel.
#pragma once

#include <string>
#include <vector>

#include "contracts/contract.h"
#include "contracts/guessing/kernel.h"

namespace foldproof {

/// Adds one sentence to `said` for every guess. Throws InputError with the reason if no guess is possible.
Instance guess_instance(const Kernel& kernel, std::vector<std::string>& said);

}  // namespace foldproof
