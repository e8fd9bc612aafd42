// Flags that are polled: strong loads and atomics whose value decides whether they are executed again.
#pragma once

#include <vector>

#include "devices/emulated/machine/program.h"

namespace foldproof::machine {

/// Sets Instruction::polled of such instructions. `details` are the program's.
void mark_polls(Code& code, const std::vector<Detail>& details);

}  // namespace foldproof::machine
