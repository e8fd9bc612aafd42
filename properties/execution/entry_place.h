// Where findings about values point: the kernel's own line.
#pragma once

#include "contracts/contract.h"

namespace foldproof {

/// The line of the source that defines the kernel that a launch names; line 0 where it is not found (PTX, an
/// included file).
Position place_of_entry(const Contract& contract, const LaunchContract& launch);

}  // namespace foldproof
