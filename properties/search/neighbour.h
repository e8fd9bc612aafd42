// One step of a search: a case derived from another by a small change.
#pragma once

#include <cstdint>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"
#include "properties/generator.h"

namespace foldproof {

/// The case with one or two changes to what determines the rounding of a sum: its seed, its distribution or
/// the distribution's argument, a transform, the count, the block, single elements, or, if the contract
/// does not claim determinism, the order. The result is inside the domain, is run once, and is drawn from the
/// seed `draw`.
Case neighbour_of(const Case& c, const Instance& instance, const Domain& domain,
                  const CaseGenerator& generator, std::uint64_t draw);

}  // namespace foldproof
