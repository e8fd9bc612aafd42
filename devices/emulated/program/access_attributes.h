// The memory access attributes of instructions, in the terms of observers.
#pragma once

#include "devices/emulated/program/program.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

SyncScope scope_of(const isa::Form& form);
bool acquires(isa::Semantics semantics);
bool releases(isa::Semantics semantics);

bool accesses_memory(const Instruction& instruction);

/// The instruction must access memory, be marked (polls.h, cas_confirmed.h) and have its site number. For an
/// asynchronous copy, the source and the number of bytes are known only when it executes.
AccessAttributes attributes_of(const Instruction& instruction, const MachineOperands& detail);

}  // namespace foldproof::emulated
