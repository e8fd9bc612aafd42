// The forms of ptx.def that are compared on a GPU, and the PTX that executes them.
//
//   A group's kernels load the operands of one lane, execute forms of the group one after another, and store
//   what each of them leaves in its destinations:
//
//     in    [source 0, word 0][source 0, word 1] … [carry]     each: one 64-bit word per operand set
//     out   [form 0: d][form 0: e] … [form 1: d] …
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/instruction_operands.h"
#include "devices/emulated/isa/form.h"

namespace foldproof {

/// One operand of a form, as a register of its own.
struct RegisterOperand {
  SourceType value;
  bool narrow = false;  ///< an 8-bit type in an 8-bit register; otherwise 16-bit registers hold 8-bit types
};

/// A form with everything but the registers chosen.
struct MeasuredForm {
  std::string text;  ///< "add.rn.f32"
  isa::Form form;
  unsigned absent = 0;            ///< optional sources that are left out
  std::optional<unsigned> table;  ///< the immediate operand of lop3
};

/// Forms of one row with the same types and the same operands.
struct FormGroup {
  const isa::Row* row = nullptr;
  isa::Type type = isa::Type::none, type2 = isa::Type::none;
  std::vector<RegisterOperand> sources, destinations;
  std::vector<MeasuredForm> forms;

  unsigned words_per_form() const;  ///< 64-bit words that a form leaves per operand set
  std::vector<SourceType> source_types() const;
  Extremes extremes() const;
};

/// Why the row is not measured; empty if it is.
std::string why_not_measured(const isa::Row& row);

/// Why PTX leaves results of the form to the hardware; empty if it does not.
std::string why_open(const isa::Form& form);

/// The groups of all measured rows.
std::vector<FormGroup> form_groups();

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
