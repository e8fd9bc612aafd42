// For how many elements a guess explains what the kernel computes.
#pragma once

#include <memory>

#include "contracts/contract.h"
#include "contracts/guess.h"
#include "devices/runner.h"
#include "properties/preconditions.h"

namespace foldproof {

/// If every launch of the source passes as many elements as threads, or multiples of a number, or the kernel
/// asserts that it gets multiples, and the kernel is right only with these, the domain then has only these. A
/// warning says what happens with others.
void find_multiples(const Contract& contract, const KnownBlocks& blocks,
                    const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions);

/// If the domain has only multiples of what a block reads, a warning says what happens with other numbers of
/// elements. If it has at most one element per thread, but the kernel reads the last one of many more, the
/// domain then has these, or fewer blocks, too.
void find_counts(const Contract& contract, const KnownBlocks& blocks,
                 const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions);

}  // namespace foldproof
