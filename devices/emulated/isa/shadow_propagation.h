// Shadow propagation: how undefined bits propagate through register-only instructions.
//
// A warp's frame (instruction.h) has a shadow of the same layout, in which a 1 means that the bit of the
// register, of the predicate or of CC is undefined. Constants are always defined.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::isa {

/// Sets the undefined bits of the instruction's destinations, in the lanes of `lanes`, from those of its
/// sources, which may include a destination. `values` is the frame before the instruction ran. For forms with
/// Action::compute and Action::matrix_multiply. Defined sources give defined destinations, and a bit that
/// undefined bits can change is never marked as defined; the column `shadow` of ptx.def determines the
/// precision beyond that.
void propagate_undefined(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                         LaneMask lanes);

/// Whether a row of the shadow has an undefined bit in any lane; 0 bytes: a mask.
bool any_undefined(const std::byte* undefined, std::uint32_t offset, unsigned column_bytes);

/// Whether the instruction only moves bits: mov and related instructions, and conversions between integers.
bool moves_bits(const Form& form);

/// Calls f(offset, column bytes, written) for every row that the instruction reads or writes, including CC; 0
/// bytes: a mask. A row that is both read and written is visited twice.
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
