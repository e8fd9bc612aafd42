// The forms of ptx.def that are compared on a GPU, in groups with the same operands.
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

/// The operand rules that a statement of the form has.
std::vector<isa::OperandRule> present_rules(const MeasuredForm& measured);

/// Whether the rule's operand is part of the text: a member mask, or the table of lop3.
bool is_immediate(const isa::OperandRule& rule);

/// Atomics: each lane has its own memory. Its elements before and after are the last sources and
/// destinations.
bool is_atomic(const isa::Form& form);
std::size_t memory_elements(const isa::Form& form);

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

}  // namespace foldproof
