// For how many blocks a guess explains what the kernel computes.
#pragma once

#include <memory>

#include "contracts/contract.h"
#include "contracts/guess.h"
#include "devices/runner.h"
#include "properties/preconditions.h"

namespace foldproof {

/// Tries the number of blocks that the source computes from the number of elements; if the kernel is wrong
/// with it, the domain then has both, so that the audit reports an error. If the number of blocks is a
/// constant of the domain, tries others. If the kernel suits several numbers and the source launches a
/// constant one, tries more than that: the domain then has the largest power of two for which the kernel is
/// right. What happens otherwise is a warning. Returns whether a launch of the source is wrong, be it for its
/// blocks or its dynamic shared memory; its block is then the only one.
bool find_grids(const Contract& contract, const KnownBlocks& blocks,
                const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions);

}  // namespace foldproof
