// Fragments of mma.sync: the register and lane that hold each matrix element. ISA 9.7.14.5.
//
// With g = lane / 4, t = lane % 4 and e elements per register:
//
//   A (m × k), register r:  row g + 8 (r mod 2),     columns t·e … + 4e (r div 2)
//   B (k × n), register r:  rows t·e … + 4e r,       column g
//   C, D (m × n), element j: row g + 8 (j div 2),    column 2t + (j mod 2)
#pragma once

#include <cstdint>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa::matrix {

/// The registers of one mma operand in one lane.
struct Fragment {
  Type type = Type::b32;       ///< of one register: b32 or f64
  std::uint8_t registers = 0;  ///< 0: the combination does not exist
};

/// `operand` is 'a', 'b', 'c' or 'd'.
Fragment fragment(const Form& form, char operand);

}  // namespace foldproof::isa::matrix
