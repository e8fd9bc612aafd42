// How undefined bits propagate through instructions that work on registers only.
//
// Next to a warp's frame (instruction.h) lies another one of the same layout, its shadow, in which a 1 says
// that the bit of the register, of the predicate or of CC is undefined. Constants never are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::isa {

/// Sets the undefined bits of the instruction's destinations, in the lanes of `lanes`, from those of its
/// sources, which a destination may be as well. `values` is the frame before the instruction ran. For forms
/// with Action::compute and Action::matrix_multiply. Defined sources give defined destinations, and no bit is
/// called defined that undefined ones can change; how fine it is beyond that, the column `shadow` of ptx.def
/// says.
void propagate_undefined(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                         LaneMask lanes);

/// Whether a row of the frame of undefined bits has any, in any lane; 0 bytes: a mask.
bool any_undefined(const std::byte* undefined, std::uint32_t offset, unsigned column_bytes);

/// Whether all that an instruction does is to move bits: mov and its kin, conversions between integers.
bool moves_bits(const Form& form);

/// f(offset, column bytes, written) for all rows that such an instruction reads or writes, CC among them; 0
/// bytes: a mask. A row that is read and written comes twice.
template <class F>
void for_each_row(const Instruction& instruction, F f) {
  const Form& form = *instruction.form;
  const std::uint32_t* rows = rows_of(instruction);
  for (std::size_t k = 0; k < form.ports.size(); ++k)
    if (rows[k] != no_operand) f(rows[k], unsigned{form.ports[k].bytes}, form.ports[k].written);
  if (form.reads_carry) f(carry_offset, 0u, false);
  if (form.writes_carry) f(carry_offset, 0u, true);
}

}  // namespace foldproof::isa
