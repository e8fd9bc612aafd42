// Marks loads and atomics by the use of their values: polls of memory that other threads write, and guesses.
#pragma once

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// Sets Instruction::polled of strong loads and atomics whose value determines whether they are executed
/// again.
void mark_polls(Program& program);

/// Sets Instruction::cas_confirmed of weak loads whose value a compare-and-swap of the same address expects,
/// if its result is used: a guess that the compare-and-swap validates (CUDA C++ Programming Guide, atomic
/// functions: atomicAdd implemented with atomicCAS). Traces copies between registers and into function
/// parameters, but not out of functions, since other callers may use the value.
void mark_confirmed(Program& program);

/// Whether programs repeat the instruction until another thread acts: a strong load, an exchange, a wait for
/// an mbarrier. Polls must already be marked.
bool is_repeated(const Instruction& instruction);

}  // namespace foldproof::emulated
