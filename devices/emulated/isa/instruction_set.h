// The instructions of the PTX ISA, including those that the emulated device does not implement.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

/// A section of chapter 9.7.
struct IsaSection {
  std::string_view number;  ///< "9.7.1"
  std::string_view title;
};

/// A row of instruction_set.def.
struct IsaInstruction {
  std::string_view section;
  std::string_view name;    ///< "mad.cc"; several that share their rows are separated by commas
  std::string_view rows;    ///< ids of rows of ptx.def, separated by spaces; empty: not implemented
  std::string_view reason;  ///< why it is not implemented, as a sentence
};

std::span<const IsaSection> isa_sections();
std::span<const IsaInstruction> isa_instructions();

/// The rows of ptx.def that implement it. Throws std::logic_error if ptx.def lacks one of them.
std::vector<const Row*> rows_of(const IsaInstruction& instruction);

}  // namespace foldproof::isa
