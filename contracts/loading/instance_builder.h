// One instance of a contract: a combination of its matrix, with every placeholder substituted.
#pragma once

#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/matrix.h"

namespace foldproof {

/// `calls`: the contract has a `call`, whose kernel and launch are generated. Throws InputError with its
/// place.
Instance build_instance(const Table& top, const Bindings& bindings, bool calls);

}  // namespace foldproof
