// For how many blocks a guess explains what the kernel computes.
#pragma once

#include <memory>

#include "contracts/contract.h"
#include "contracts/guess.h"
#include "devices/runner.h"
#include "properties/preconditions.h"

namespace foldproof {

/// If the number of blocks is a constant of the domain, tries others. If it depends on the input and the
/// source launches a constant number, tries more than that: the domain then has the powers of two for which
/// the kernel is right. What happens otherwise is a warning.
void find_grids(const Contract& contract, const KnownBlocks& blocks,
                const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions);

}  // namespace foldproof
