// Weak loads whose value is only a guess.
#pragma once

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// Sets Instruction::confirmed of weak loads whose value a compare-and-swap expects to find: a guess, which
/// it corrects (CUDA C++ Programming Guide, atomic functions: atomicAdd by atomicCAS). Follows copies between
/// registers and into the parameters of functions; not out of them, where other callers could want the value.
void mark_confirmed(Program& program);

}  // namespace foldproof::emulated
