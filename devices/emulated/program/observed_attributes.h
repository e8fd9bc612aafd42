// The attributes of instructions in the terms of observers: their class, and how they access memory.
#pragma once

#include "devices/emulated/program/program.h"
#include "sanitizer/instruction_class.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

InstructionClass class_of(const Instruction& instruction);

SyncScope scope_of(const isa::Form& form);
bool acquires(isa::Semantics semantics);
bool releases(isa::Semantics semantics);

bool accesses_memory(const Instruction& instruction);

/// The instruction must access memory, be marked (load_marks.h) and have its site number. For an
/// asynchronous copy, the source and the number of bytes are known only when it executes.
AccessAttributes attributes_of(const Instruction& instruction, const MachineOperands& detail);

}  // namespace foldproof::emulated
