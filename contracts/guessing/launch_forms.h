// Expressions of contracts for what a launch computes by loops, functions and branches.
#pragma once

#include "contracts/guess.h"

namespace foldproof {

/// Writes the numbers of blocks and threads that the text of the source does not give as expressions: as one
/// in a variable that is passed to the kernel, or as a constant, if that agrees with all calls.
void complete_by_calls(SourceLaunch& launch);

}  // namespace foldproof
