// How instructions access memory, in the words of those who watch.
#pragma once

#include "devices/emulated/program/program.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

SyncScope scope_of(const isa::Form& form);
bool acquires(isa::Semantics semantics);
bool releases(isa::Semantics semantics);

bool accesses_memory(const Instruction& instruction);

/// Of an instruction that accesses memory, is marked (polls.h, guesses.h) and has its number. What an
/// asynchronous copy reads, and how many bytes, shows when it is executed.
AccessAttributes attributes_of(const Instruction& instruction, const MachineOperands& detail);

}  // namespace foldproof::emulated
