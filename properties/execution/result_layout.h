// How the output of one case is laid out.
#pragma once

#include "contracts/contract.h"
#include "oracles/layout.h"

namespace foldproof {

/// The instance has a reduction; where its results are rows, `columns` is among the variables.
ResultLayout result_layout(const Instance& instance, const Variables& variables);

}  // namespace foldproof
