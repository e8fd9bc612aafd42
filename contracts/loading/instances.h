// The instances of a contract: the combinations of its matrix, with every placeholder substituted.
#pragma once

#include <vector>

#include "contracts/contract.h"
#include "contracts/document.h"

namespace foldproof {

/// Every combination of the matrix's types, operators and sizes, except the excluded ones: at least one,
/// which is empty if there is no matrix. Throws InputError for an empty or huge matrix, a value that is
/// neither a string nor an integer, and an exclusion that excludes nothing.
std::vector<Bindings> combinations(const Table& top);

/// `calls`: the contract has a `call`, whose kernel and launch are generated. Throws InputError with a
/// position in the contract.
Instance build_instance(const Table& top, const Bindings& bindings, bool calls);

}  // namespace foldproof
