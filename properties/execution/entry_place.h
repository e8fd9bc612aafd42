// Where findings about values point to: the kernel's own line.
#pragma once

#include "contracts/contract.h"

namespace foldproof {

/// The source line that defines the kernel of a launch; line 0 if it is not found (PTX, an included file).
Position place_of_entry(const Contract& contract, const LaunchContract& launch);

}  // namespace foldproof
