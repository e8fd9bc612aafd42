// The class of a decoded instruction, for counters.
#pragma once

#include "devices/emulated/isa/instruction.h"
#include "sanitizer/instruction_class.h"

namespace foldproof::emulated {

InstructionClass class_of(const isa::Instruction& instruction);

}  // namespace foldproof::emulated
