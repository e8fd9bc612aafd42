// The instance of a contract that a kernel seems to ask for.
#pragma once

#include <string>
#include <vector>

#include "contracts/contract.h"
#include "contracts/guessing/kernel.h"

namespace foldproof {

/// Every guess is added to `said` as a sentence. Throws InputError with the reason where there is no telling.
Instance guess_instance(const Kernel& kernel, std::vector<std::string>& said);

}  // namespace foldproof
