// Polling of memory that other threads write.
#pragma once

#include <vector>

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// Sets Instruction::polled of strong loads and atomics whose value determines whether they are executed
/// again. `details` are the program's.
void mark_polls(FunctionCode& code, const std::vector<MachineOperands>& details);

/// Whether programs repeat the instruction until another thread acts: a strong load, an exchange, a wait for
/// an mbarrier. Polls must already be marked.
bool is_repeated(const Instruction& instruction);

}  // namespace foldproof::emulated
