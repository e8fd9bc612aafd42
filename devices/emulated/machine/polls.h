// Flags that are polled: strong loads whose value decides whether they are executed again.
#pragma once

#include <vector>

#include "devices/emulated/machine/program.h"

namespace foldproof::machine {

/// Sets Instruction::polled of such loads. `details` are the program's.
void mark_polls(Code& code, const std::vector<Detail>& details);

}  // namespace foldproof::machine
