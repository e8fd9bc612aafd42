// Marks weak loads whose value is only a guess.
#pragma once

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// Sets Instruction::confirmed of weak loads whose value a compare-and-swap expects: a guess that the
/// compare-and-swap validates (CUDA C++ Programming Guide, atomic functions: atomicAdd implemented with
/// atomicCAS). Traces copies between registers and into function parameters, but not out of functions, since
/// other callers may use the value.
void mark_confirmed(Program& program);

}  // namespace foldproof::emulated
