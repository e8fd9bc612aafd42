// A decoded instruction, and the register file on which it operates.
//
//   A frame holds the registers of one function activation: one row per register, 32 columns per row:
//
//     offset 0      carry   one 32-bit lane mask (add.cc / addc)
//            4      predicates: one 32-bit lane mask each
//            …      rows:  [lane 0][lane 1] … [lane 31]
//                   2, 4, 8 or 16 bytes per column (16-, 32-, 64-, 128-bit); 8-bit registers take 1 byte per
//                   column. Rows start at multiples of 64 bytes.
//            …      constants: every immediate of the function as a separate row (or mask), with the same
//                   value in all columns
//
//   An operand is the byte offset of its row: immediates and registers look alike to the semantics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/isa/form.h"
#include "sanitizer/lane_set.h"

namespace foldproof::isa {

inline constexpr unsigned warp_size = 32;
inline constexpr std::uint32_t no_operand = ~0u;
inline constexpr std::uint32_t carry_offset = 0;

struct Instruction {
  Action action = Action::compute;
  bool guard_negated = false;
  bool polled = false;         ///< a strong load or atomic: its value decides whether it is executed again
  bool repeats = false;        ///< of a kind that programs repeat until other threads act
  bool cas_confirmed = false;  ///< a weak load whose value a compare-and-swap validates
  std::uint32_t guard = no_operand;  ///< predicate that disables lanes
  Compute compute = nullptr;
  /// Rows in the order of the operand rules: destination(s), then sources; vector operands are flattened. A
  /// rule without an operand has no_operand.
  std::array<std::uint32_t, 6> operand{no_operand, no_operand, no_operand,
                                       no_operand, no_operand, no_operand};
  const std::uint32_t* wide =
      nullptr;  ///< all rows, flattened (d…, a…, b…, c…), if six are too few: mma, lop3 with a predicate
  const Form* form = nullptr;         ///< modifiers; null for a step that lowering adds
  std::uint32_t detail = no_operand;  ///< index of its MachineOperands (program/program.h)
  std::uint32_t target = 0;           ///< branch target, an index into the function's code
  std::uint32_t join = no_operand;    ///< of a branch: where its lanes reconverge
  std::uint32_t loc = 0;              ///< index into ptx::Module::locs
  std::uint32_t ptx_line = 0;
  std::uint32_t site = 0;  ///< number of the instruction in the program
};

/// All rows of an instruction.
inline const std::uint32_t* rows_of(const Instruction& instruction) {
  return instruction.wide != nullptr ? instruction.wide : instruction.operand.data();
}

/// The row at an offset, as columns of T.
template <class T>
T* row(std::byte* frame, std::uint32_t offset) {
  return reinterpret_cast<T*>(frame + offset);
}

inline LaneMask& mask(std::byte* frame, std::uint32_t offset) {
  return *reinterpret_cast<LaneMask*>(frame + offset);
}

}  // namespace foldproof::isa
