// Fragments of mma.sync: which element of a matrix lies in which register of which lane. ISA 9.7.14.5.
//
// With g = lane / 4, t = lane % 4 and e elements in one register:
//
//   A (m × k), register r:  row g + 8 (r mod 2),     columns t·e … + 4e (r div 2)
//   B (k × n), register r:  rows t·e … + 4e r,       column g
//   C, D (m × n), element j: row g + 8 (j div 2),    column 2t + (j mod 2)
#pragma once

#include <cstdint>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa::matrix {

/// One operand of mma in one lane.
struct Fragment {
  Type type = Type::b32;       ///< of a register: b32 or f64
  std::uint8_t registers = 0;  ///< 0: the form has no such combination
};

/// `operand` is 'a', 'b', 'c' or 'd'.
Fragment fragment(const Form& form, char operand);

}  // namespace foldproof::isa::matrix
