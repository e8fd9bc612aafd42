// Maps an operand to the row that holds its value: a register's row, a constant's, or one filled just before.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/text.h"
#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {
namespace {

// A literal's bits as a value of `type`: 0f… and 0d… may be used for the other width.
std::uint64_t literal_bits(const ptx::Literal& literal, Type type) {
  if (literal.form == ptx::Literal::Form::f64 && type == Type::f32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(literal.bits)));
  if (literal.form == ptx::Literal::Form::f32 && type == Type::f64)
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits))));
  return literal.bits;
}

// Whether the name is a special register of the ISA that the device does not implement.
bool is_foreign_special(std::string_view name) {
  constexpr std::string_view beginnings[] = {"%pm", "%envreg", "%reserved_smem_offset_",
                                             "%current_graph_exec"};
  return std::ranges::any_of(beginnings,
                             [&](std::string_view beginning) { return name.starts_with(beginning); });
}

std::string full_name(const ptx::Name& name) {
  return name.component.empty() ? name.text : name.text + "." + name.component;
}

}  // namespace

unsigned column_bytes(Type type) { return type == Type::pred ? 0 : isa::bytes_of(type); }

const std::vector<ptx::Operand>* vector_of(const ptx::Operand& operand) {
  return std::get_if<std::vector<ptx::Operand>>(&operand.value);
}

const SpecialRow* special_named(std::string_view name) {
  const auto* found = std::ranges::find(special_rows, name, &SpecialRow::name);
  return found == std::end(special_rows) ? nullptr : found;
}

const SpecialRow* special_in(const ptx::Operand& operand) {
  const auto* name = std::get_if<ptx::Name>(&operand.value);
  return name ? special_named(full_name(*name)) : nullptr;
}

const ptx::Operand& FunctionLowering::operand(const ptx::Statement& statement, std::size_t k) const {
  if (k >= statement.operands.size())
    fail(fmt::format("{} needs {} operands or more, but has {}", statement.opcode, k + 1,
                     statement.operands.size()));
  return statement.operands[k];
}

// The elements of an operand, as many as the rule requires: those of a vector, or the operand itself.
std::vector<const ptx::Operand*> FunctionLowering::elements_of(const ptx::Operand& given,
                                                               const OperandRule& rule) const {
  std::vector<const ptx::Operand*> elements;
  if (const auto* vector = vector_of(given))
    for (const ptx::Operand& element : *vector) elements.push_back(&element);
  else
    elements.push_back(&given);
  if (elements.size() != rule.count)
    fail(fmt::format("an operand has {} elements where {} are needed", elements.size(), rule.count));
  return elements;
}

// The symbol that an operand names; null if there is none.
const Symbol* FunctionLowering::symbol_in(const ptx::Operand& operand) {
  const auto* name = std::get_if<ptx::Name>(&operand.value);
  return name ? symbols_.find(name->text) : nullptr;
}

const Symbol& FunctionLowering::register_named(const ptx::Name& name) {
  const Symbol* symbol = symbols_.find(name.text);
  if (!symbol) fail(fmt::format("{} is not declared", name.text));
  if (symbol->kind != Symbol::Kind::reg) fail(fmt::format("{} is not a register", name.text));
  return *symbol;
}

// The row of a register; records that the current statement reads it (or writes it, in `written`).
std::uint32_t FunctionLowering::read(const Symbol& reg) {
  use_.reads.push_back({reg.offset, reg.bytes});
  return reg.offset;
}

std::uint32_t FunctionLowering::written(const Symbol& reg) {
  use_.writes.push_back({reg.offset, reg.bytes});
  return reg.offset;
}

// Bytes of the register that an operand names; for an immediate, those of `type`.
unsigned FunctionLowering::operand_bytes(const ptx::Operand& given, Type type) {
  const Symbol* symbol = symbol_in(given);
  return symbol && symbol->kind == Symbol::Kind::reg ? symbol->bytes : column_bytes(type);
}

void FunctionLowering::check_width(const Symbol& symbol, Type type, bool relaxed,
                                   const std::string& name) const {
  const unsigned wanted = column_bytes(type);
  if (symbol.bytes == wanted || (relaxed && wanted != 0 && symbol.bytes > wanted)) return;
  fail(fmt::format("register {} has {} bits, but .{} needs {}", name,
                   symbol.bytes == 0 ? 1 : symbol.bytes * 8, isa::name(type), isa::bits_of(type)));
}

// The row of a register that an instruction writes; `_` gives a row that is never read.
std::uint32_t FunctionLowering::destination(const ptx::Operand& operand, Type type, bool relaxed) {
  const auto* name = std::get_if<ptx::Name>(&operand.value);
  if (!name) fail("a destination must be a register");
  if (name->text == "_") return frame_.allocate(column_bytes(type));
  const Symbol& symbol = register_named(*name);
  check_width(symbol, type, relaxed, name->text);
  return written(symbol);
}

// The value of an immediate; std::nullopt for other operands.
std::optional<std::uint64_t> FunctionLowering::immediate(const ptx::Operand& operand, Type type) {
  const auto* literal = std::get_if<ptx::Literal>(&operand.value);
  return literal ? std::optional(literal_bits(*literal, type)) : std::nullopt;
}

// The row of a value that an instruction reads: a register, an immediate, a special register or an address.
std::uint32_t FunctionLowering::source(const ptx::Operand& operand, Type type, bool relaxed) {
  if (const auto value = immediate(operand, type)) return frame_.constant(*value, column_bytes(type));
  const auto* name = std::get_if<ptx::Name>(&operand.value);
  if (!name) fail("expected a register or an immediate");
  if (const SpecialRow* special = special_in(operand)) return read_special(*special, type);
  if (name->text == "WARP_SZ") return frame_.constant(isa::warp_size, column_bytes(type));
  if (name->text == "_") throw NotCovered{"a source operand _"};
  if (const auto function = context_.functions.find(name->text); function != context_.functions.end())
    return frame_.constant(function_window + function->second * function_stride, column_bytes(type));
  if (is_foreign_special(name->text) && !symbols_.find(name->text))
    throw NotCovered{fmt::format("the special register {}", full_name(*name))};
  return read_symbol(symbol_named(name->text), *name, operand, type, relaxed);
}

const Symbol& FunctionLowering::symbol_named(const std::string& name) {
  const Symbol* symbol = symbols_.find(name);
  if (!symbol) fail(fmt::format("{} is not declared", name));
  if (symbol->is_external)
    throw NotCovered{
        fmt::format("the variable {}, whose value another file defines", demangled_variable(name))};
  return *symbol;
}

std::uint32_t FunctionLowering::read_symbol(const Symbol& symbol, const ptx::Name& name,
                                            const ptx::Operand& operand, Type type, bool relaxed) {
  switch (symbol.kind) {
    case Symbol::Kind::reg: {
      check_width(symbol, type, relaxed, name.text);
      return operand.negated ? negate(read(symbol)) : read(symbol);
    }
    case Symbol::Kind::fixed:
      return frame_.constant(symbol.address + static_cast<std::uint64_t>(operand.offset), column_bytes(type));
    case Symbol::Kind::entry_parameter:
      return frame_.constant(symbol.offset + static_cast<std::uint64_t>(operand.offset), column_bytes(type));
    case Symbol::Kind::local: return read_frame_address(symbol.offset + operand.offset, type);
    case Symbol::Kind::slot: throw NotCovered{fmt::format("the address of the parameter {}", name.text)};
    case Symbol::Kind::range:
    case Symbol::Kind::label: break;
  }
  fail(fmt::format("{} is not a value", name.text));
}

std::uint32_t FunctionLowering::read_special(const SpecialRow& special, Type type) {
  // ISA 10: a special register may be read at a width other than its own (mov.u16 of %tid in old code).
  if (column_bytes(type) != special.bytes && column_bytes(type) == 0)
    throw NotCovered{fmt::format("{} as a predicate", special.name)};
  const std::uint32_t row = frame_.allocate(column_bytes(type));
  emit_special(make_machine(Action::special), special, row, column_bytes(type));
  return row;
}

std::uint32_t FunctionLowering::read_frame_address(std::int64_t offset, Type type) {
  const std::uint32_t row = frame_.allocate(column_bytes(type));
  Instruction i = make_machine(Action::frame_address);
  MachineOperands detail;
  detail.address = {MachineOperands::Base::frame_local, isa::no_operand, offset};
  detail.register_bytes = static_cast<std::uint8_t>(column_bytes(type));
  i.operand[0] = row;
  emit(i, std::move(detail));
  return row;
}

std::uint32_t FunctionLowering::negate(std::uint32_t predicate) {
  const std::uint32_t row = frame_.allocate(0);
  Instruction i = make(form_of("not", {"pred"}));
  i.operand[0] = row;
  i.operand[1] = predicate;
  emit(i);
  return row;
}

}  // namespace foldproof::emulated
