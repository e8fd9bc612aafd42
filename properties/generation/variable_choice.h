// The variables of a generated case: blocks, grids, and numbers of elements, rows and columns.
#pragma once

#include "properties/case.h"
#include "properties/generation/domain.h"
#include "properties/generation/draws.h"
#include "properties/generation/turns.h"

namespace foldproof {

/// Draws a value for every variable of the domain. The turn says which counts and blocks the case must have.
Variables chosen_variables(Chooser& choose, const Domain& domain, bool reduces_columns, const Turn& turn,
                           const ValueTurns& turns);

}  // namespace foldproof
