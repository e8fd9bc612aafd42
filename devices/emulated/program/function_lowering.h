// Lowers the body of one function: declarations become frame offsets, statements become instructions.
//
//   Each part has its own file: lower_scopes.cpp walks the body, lower_declarations.cpp allocates declared
//   names, lower_operands.cpp turns operands into rows, lower_forms.cpp finds the rows of ptx.def, and
//   lower_statements.cpp, lower_memory.cpp and lower_calls.cpp build instructions, which lower_emit.cpp
//   appends to the code.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/emulated/program/control_flow.h"
#include "devices/emulated/program/frame_builder.h"
#include "devices/emulated/program/layout.h"
#include "devices/emulated/program/program.h"
#include "devices/emulated/program/special_registers.h"
#include "devices/emulated/program/symbols.h"

namespace foldproof::emulated {

using isa::Form;
using isa::OperandRule;
using isa::Type;

inline constexpr std::uint64_t largest_frame = std::uint64_t{1} << 28;  ///< bytes of a warp's registers
/// Bytes of the frames of all functions of a module.
inline constexpr std::uint64_t largest_frames = std::uint64_t{1} << 30;
/// Targets of all brx.idx of a module; those that share a list have their own.
inline constexpr std::uint64_t most_indexed_targets = std::uint64_t{1} << 24;

/// Shared by the functions of a module while they are lowered.
struct LoweringContext {
  Program& program;
  StaticAddresses addresses;
  FunctionIndices functions;
  std::map<std::string, const Form*, std::less<>> forms;  ///< by opcode, suffixes and operand shape
  std::uint64_t frame_bytes = 0, indexed_targets = 0;     ///< of the functions lowered so far
};

/// Thrown for an instruction without a row in ptx.def; its statement is lowered to a stop.
struct NotCovered {
  std::string what;
};

/// Bytes of a frame column for a value of that type; 0: a predicate, stored as a mask.
unsigned column_bytes(isa::Type type);

/// A statement's opcode and suffixes, for messages and keys.
std::string text_of(const ptx::Statement& statement);

/// The elements of a vector operand {a, b}; null for any other operand.
const std::vector<ptx::Operand>* vector_of(const ptx::Operand& operand);

/// Looks up a special register by its name, or by an operand; returns null if there is none.
const SpecialRow* special_named(std::string_view name);
const SpecialRow* special_in(const ptx::Operand& operand);

class FunctionLowering {
 public:
  FunctionLowering(LoweringContext& context, const ptx::Function& function)
      : context_(context), function_(function), symbols_(frame_, context.addresses.module) {}

  /// Call once. Throws InputError if the text is not a valid function.
  FunctionCode run();

 private:
  [[noreturn]] void fail(const std::string& sentence) const;  // at the current statement
  [[noreturn]] void fail(const std::string& sentence, std::uint32_t line) const;

  // lower_declarations.cpp: declarations and their storage
  void declare_parameters();
  Slot declare_passed(const ptx::Variable& variable, bool is_result);
  Slot new_slot(const ptx::Variable& variable);
  Type type_of(const ptx::Variable& variable) const;
  void declare(const std::string& name, const Symbol& symbol, std::uint32_t line);
  void check_frame(std::uint32_t line) const;
  std::uint32_t declare_register(const std::string& name, Type type, std::uint32_t line);
  void declare_variable(const ptx::Variable& variable);
  void declare_registers(const ptx::Variable& variable);
  void declare_local(const ptx::Variable& variable);
  void declare_slot(const ptx::Variable& variable, const Slot& slot);
  void declare_fixed(const ptx::Variable& variable);

  // lower_scopes.cpp: the walk over the body, and its labels
  void lower_scope(const ptx::Scope& scope);
  void lower_item(const std::unique_ptr<ptx::Scope>& scope);
  void lower_item(const ptx::Variable& variable);
  void lower_item(const ptx::Label& label);
  template <class Statement>
  void lower_item(const Statement& statement);
  void end_statement(bool guarded);
  std::uint32_t label_of(const ptx::Operand& operand);
  std::uint32_t label_of(const std::string& name);
  void resolve_labels();

  // lower_operands.cpp: maps an operand to the row that holds its value
  const ptx::Operand& operand(const ptx::Statement& statement, std::size_t k) const;
  std::vector<const ptx::Operand*> elements_of(const ptx::Operand& given, const OperandRule& rule) const;
  const Symbol* symbol_in(const ptx::Operand& operand);
  const Symbol& register_named(const ptx::Name& name);
  std::uint32_t read(const Symbol& reg);
  std::uint32_t written(const Symbol& reg);
  unsigned operand_bytes(const ptx::Operand& given, Type type);
  void check_width(const Symbol& symbol, Type type, bool relaxed, const std::string& name) const;
  std::uint32_t destination(const ptx::Operand& operand, Type type, bool relaxed);
  static std::optional<std::uint64_t> immediate(const ptx::Operand& operand, Type type);
  std::uint32_t source(const ptx::Operand& operand, Type type, bool relaxed);
  /// Throws NotCovered if another file defines the variable.
  const Symbol& symbol_named(const std::string& name);
  std::uint32_t read_symbol(const Symbol& symbol, const ptx::Name& name, const ptx::Operand& operand,
                            Type type, bool relaxed);
  std::uint32_t read_special(const SpecialRow& special, Type type);
  std::uint32_t read_frame_address(std::int64_t offset, Type type);
  std::uint32_t negate(std::uint32_t predicate);

  // lower_forms.cpp: finds the row of ptx.def for a statement
  const Form* form_of(const ptx::Statement& statement);
  const Form* form_of(const std::string& opcode, const std::vector<std::string>& suffixes);
  const Form* packing_form(const ptx::Statement& statement, isa::Packing packing, std::size_t parts);
  const Form* fitted_form(const ptx::Statement& statement, const Form* form);
  const Form* interned(const std::string& key, const std::string& text,
                       const std::function<std::optional<Form>()>& make_form);

  // lower_statements.cpp: everything except memory accesses and calls
  void lower_statement(const ptx::Statement& statement);
  bool lower_special_mov(const ptx::Statement& statement);
  void lower_by_rules(const ptx::Statement& statement, Instruction i);
  std::vector<std::uint32_t> rows_by_rules(const ptx::Statement& statement, const Form& form);
  void lower_indexed_branch(const ptx::Statement& statement, Instruction i);
  void lower_barrier(const ptx::Statement& statement, Instruction i);

  // lower_memory.cpp
  void lower_memory(const ptx::Statement& statement, Instruction i);
  std::uint32_t bytes_unless(const ptx::Operand& predicate, std::uint32_t bytes);
  void add_data(const ptx::Operand& given, const OperandRule& rule, MachineOperands& detail);
  Type register_type(const std::vector<const ptx::Operand*>& elements, Type type);
  MachineOperands::Address address_of(const ptx::Operand& given, isa::StateSpace space);
  MachineOperands::Address address_in(const Symbol& symbol, const ptx::AddressOf& given,
                                      isa::StateSpace space);

  // lower_calls.cpp
  using Results = std::vector<std::pair<std::uint32_t, Slot>>;  // row and slot, to be loaded after the call
  void lower_statement(const ptx::CallStatement& call);
  Slot argument_slot(const ptx::Operand& argument);
  Slot result_slot(const ptx::Operand& result, Results& results);
  Slot register_slot(unsigned bytes);
  static void add_rows(std::vector<RegisterUse::Register>& rows, const Slot& slot, std::uint64_t at,
                       std::uint64_t bytes);
  void set_target(const ptx::CallStatement& call, Instruction& i, MachineOperands& detail);

  // lower_emit.cpp: creates and appends instructions
  Instruction make(const Form* form) const;
  Instruction make_machine(Action action) const;
  void set_guard(const std::optional<ptx::Name>& guard, bool negated, Instruction& i);
  void emit(Instruction i);
  void emit(Instruction i, MachineOperands detail);
  void emit_return(Instruction i);
  void emit_slot_access(Action action, const Slot& slot, std::uint32_t row, unsigned bytes,
                        const Instruction* guarded = nullptr);
  void emit_special(Instruction i, const SpecialRow& special, std::uint32_t row, unsigned bytes);

  LoweringContext& context_;
  const ptx::Function& function_;
  FunctionCode code_;
  FrameBuilder frame_;
  SymbolTable symbols_;
  std::vector<std::uint32_t> label_places_;  // by label number: an index into the code
  struct Returned {
    std::uint32_t row;
    Slot slot;
    unsigned bytes;
  };
  std::vector<Returned> returned_registers_;  // results declared .reg: stored when the function returns
  std::vector<Slot> returned_slots_;          // results declared .param
  RegisterUse use_;                           // of the current statement
  std::vector<RegisterUse> uses_;             // by instruction: a statement's use is stored with its last one
  Slot addressed_;                            // the .param variable that the last address named
  ptx::Location at_;                          // of the current statement
};

}  // namespace foldproof::emulated
