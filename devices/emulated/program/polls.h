// What programs do with what they read from memory that others write.
#pragma once

#include <vector>

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// Sets Instruction::polled of strong loads and atomics whose value decides whether they are executed again.
/// `details` are the program's.
void mark_polls(FunctionCode& code, const std::vector<MachineOperands>& details);

/// Whether the instruction is one that programs repeat until another thread has done something: a strong
/// load, an exchange, a wait for an mbarrier. Polls must be marked.
bool is_repeated(const Instruction& instruction);

}  // namespace foldproof::emulated
