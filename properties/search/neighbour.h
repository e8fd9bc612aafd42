// One step of a search: a case like another one, with something about it changed.
#pragma once

#include <cstdint>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"
#include "properties/generator.h"

namespace foldproof {

/// The case with one or two things changed that decide how a sum is rounded: its seed, its distribution or
/// the argument of that, a transform, the count, the block, or the order where the contract does not claim
/// that it makes no difference. A case inside the domain that is run once, from the seed `draw`.
Case neighbour_of(const Case& c, const Instance& instance, const Domain& domain,
                  const CaseGenerator& generator, std::uint64_t draw);

}  // namespace foldproof
