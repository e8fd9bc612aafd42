// PTX that executes the forms of a group.
//
//   A kernel loads the operands of one lane, executes forms of the group one after another, and stores what
//   each of them leaves in its destinations:
//
//     in    [source 0, word 0][source 0, word 1] … [memory][carry]     each: one 64-bit word per operand set
//     out   [form 0: d][form 0: e] … [form 1: d] …
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/instruction_forms.h"

namespace foldproof {

/// The kernels are launched with blocks of so many lanes.
inline constexpr unsigned lanes_per_block = 256;

/// A kernel of a group's module.
struct FormKernel {
  std::string entry;
  std::size_t first = 0, count = 0;  ///< of the group's forms
};
std::vector<FormKernel> kernels_of(const FormGroup& group);

/// PTX with these kernels. `target`: "sm_90a".
std::string module_text(const FormGroup& group, std::string_view target);

}  // namespace foldproof
