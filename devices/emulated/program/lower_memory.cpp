// Loads, stores, atomics and other instructions with an address operand.
#include <fmt/format.h>

#include <algorithm>

#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {

void FunctionLowering::lower_memory(const ptx::Statement& statement, Instruction i) {
  const std::vector<OperandRule> rules = isa::operand_rules(*i.form);
  MachineOperands detail;
  detail.element_bytes = static_cast<std::uint8_t>(isa::bytes_of(i.form->type));
  detail.sign_extend = isa::is_signed(i.form->type);
  bool has_address = false;
  std::size_t k = 0;
  for (const OperandRule& rule : rules) {
    if (k == statement.operands.size()) {
      if (!rule.optional) fail(fmt::format("{} has too few operands", statement.opcode));
      continue;
    }
    const ptx::Operand& given = statement.operands[k++];
    if (rule.name == 'p') continue;  // a cache policy
    if (rule.shape == OperandRule::Shape::predicate) {
      i.operand[0] = destination(given, rule.type, false);  // of mbarrier.test_wait
    } else if (rule.shape == OperandRule::Shape::address) {
      if (has_address)
        detail.source = address_of(given, i.form->space2);
      else
        detail.address = address_of(given, i.form->space);
      has_address = true;
    } else if (rule.name == 'f' && operand_bytes(given, rule.type) == 0) {
      detail.data.push_back(bytes_unless(given, detail.data.back()));  // ignore-src of cp.async
    } else {
      add_data(given, rule, detail);
    }
  }
  if (k < statement.operands.size()) fail(fmt::format("{} has too many operands", statement.opcode));
  const auto bytes = static_cast<std::int64_t>(detail.element_bytes * detail.data.size());
  const std::int64_t at = detail.address.displacement;
  if (detail.address.base == MachineOperands::Base::slot) {
    if (at < 0 || at > static_cast<std::int64_t>(addressed_.bytes) - bytes)
      fail(fmt::format("{} bytes at offset {} are outside the {} bytes of the parameter", bytes, at,
                       addressed_.bytes));
    if (i.action == Action::store)
      add_rows(use_.writes, addressed_, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(bytes));
  }
  emit(i, std::move(detail));
}

// 0 if the predicate is true, otherwise the value of the row `bytes`.
std::uint32_t FunctionLowering::bytes_unless(const ptx::Operand& predicate, std::uint32_t bytes) {
  Instruction i = make(form_of("selp", {"u32"}));
  i.operand[3] = source(predicate, Type::pred, false);
  i.operand[2] = bytes;
  i.operand[1] = frame_.constant(0, 4);
  i.operand[0] = frame_.allocate(4);
  emit(i);
  return i.operand[0];
}

void FunctionLowering::add_data(const ptx::Operand& given, const OperandRule& rule, MachineOperands& detail) {
  const std::vector<const ptx::Operand*> elements = elements_of(given, rule);
  const Type type = rule.relaxed ? register_type(elements, rule.type) : rule.type;
  for (const ptx::Operand* element : elements)
    detail.data.push_back(rule.destination ? destination(*element, type, false)
                                           : source(*element, type, false));
  if (detail.register_bytes == 0) detail.register_bytes = static_cast<std::uint8_t>(column_bytes(type));
}

// The register type for ld and st: registers may be wider than `type`, and those of a vector are all of one
// width, which also applies to immediates and `_`.
Type FunctionLowering::register_type(const std::vector<const ptx::Operand*>& elements, Type type) {
  unsigned bytes = column_bytes(type);
  for (const ptx::Operand* element : elements) bytes = std::max(bytes, operand_bytes(*element, type));
  if (bytes == column_bytes(type)) return type;
  switch (bytes) {
    case 2: return Type::b16;
    case 4: return Type::b32;
    case 16: fail(fmt::format("a register of 128 bits cannot hold one .{}", isa::name(type)));
    default: return Type::b64;
  }
}

// [register + 8], [variable + 8] or [8].
MachineOperands::Address FunctionLowering::address_of(const ptx::Operand& given, isa::StateSpace space) {
  const auto* address = std::get_if<ptx::AddressOf>(&given.value);
  if (!address) fail("expected an address in brackets");
  if (!address->base) return {MachineOperands::Base::absolute, isa::no_operand, address->offset};
  return address_in(symbol_named(address->base->text), *address, space);
}

MachineOperands::Address FunctionLowering::address_in(const Symbol& symbol, const ptx::AddressOf& given,
                                                      isa::StateSpace space) {
  using Base = MachineOperands::Base;
  switch (symbol.kind) {
    case Symbol::Kind::reg:
      if (symbol.bytes != 4 && symbol.bytes != 8)
        fail(fmt::format("the address register {} must have 32 or 64 bits", given.base->text));
      return {symbol.bytes == 4 ? Base::register32 : Base::register64, read(symbol), given.offset};
    case Symbol::Kind::fixed: {
      // A generic address includes its window; an address in an explicit state space does not.
      const bool generic = space == isa::StateSpace::none && symbol.space == ptx::Space::shared;
      const std::uint64_t address = symbol.address + (generic ? isa::shared_window : 0);
      return {Base::absolute, isa::no_operand,
              static_cast<std::int64_t>(address + static_cast<std::uint64_t>(given.offset))};
    }
    case Symbol::Kind::local: return {Base::frame_local, isa::no_operand, given.offset + symbol.offset};
    case Symbol::Kind::slot:
      addressed_ = {symbol.offset, symbol.bytes};
      return {Base::slot, symbol.offset, given.offset};
    case Symbol::Kind::entry_parameter:
      return {Base::entry_parameter, isa::no_operand, given.offset + symbol.offset};
    case Symbol::Kind::range:
    case Symbol::Kind::label: break;
  }
  fail(fmt::format("{} has no address", given.base->text));
}

}  // namespace foldproof::emulated
