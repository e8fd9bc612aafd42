// How the output of one case is laid out.
#pragma once

#include "contracts/contract.h"
#include "oracles/layout.h"

namespace foldproof {

/// Of the instance's reduction or a further one; where the results are rows or columns, `columns` is among
/// the variables. `operands` hold the offsets of segments.
ResultLayout result_layout(const Reduction& reduction, const Variables& variables,
                           const Operands& operands = {});

}  // namespace foldproof
