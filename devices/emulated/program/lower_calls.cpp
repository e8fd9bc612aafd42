// Calls: arguments and results are passed through slots in the caller's frame.
#include <fmt/format.h>

#include <algorithm>

#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {

void FunctionLowering::lower_statement(const ptx::CallStatement& call) {
  Instruction i = make_machine(Action::call);
  set_guard(call.guard, call.guard_negated, i);
  MachineOperands detail;
  for (const ptx::Operand& argument : call.arguments) detail.arguments.push_back(argument_slot(argument));
  Results results;
  for (const ptx::Operand& result : call.returns) detail.returns.push_back(result_slot(result, results));
  set_target(call, i, detail);
  emit(i, std::move(detail));
  for (const auto& [row, slot] : results) emit_slot_access(Action::load, slot, row, slot.bytes, &i);
}

Slot FunctionLowering::argument_slot(const ptx::Operand& argument) {
  if (const Symbol* symbol = symbol_in(argument); symbol && symbol->kind == Symbol::Kind::slot) {
    const Slot slot{symbol->offset, symbol->bytes};
    add_rows(use_.reads, slot, 0, slot.bytes);
    return slot;
  }
  const auto* name = std::get_if<ptx::Name>(&argument.value);
  if (!name) throw NotCovered{"a call with an immediate argument"};
  const Symbol& symbol = register_named(*name);
  const Slot slot = register_slot(symbol.bytes);
  emit_slot_access(Action::store, slot, read(symbol), symbol.bytes);
  return slot;
}

Slot FunctionLowering::result_slot(const ptx::Operand& result, Results& results) {
  if (const Symbol* symbol = symbol_in(result); symbol && symbol->kind == Symbol::Kind::slot) {
    const Slot slot{symbol->offset, symbol->bytes};
    add_rows(use_.writes, slot, 0, slot.bytes);
    return slot;
  }
  const auto* name = std::get_if<ptx::Name>(&result.value);
  if (!name) fail("the result of a call must be a .param variable or a register");
  const Symbol& symbol = register_named(*name);
  const Slot slot = register_slot(symbol.bytes);
  results.emplace_back(written(symbol), slot);
  return slot;
}

// The rows of the slot whose bytes all lie in the given range.
void FunctionLowering::add_rows(std::vector<RegisterUse::Register>& rows, const Slot& slot, std::uint64_t at,
                                std::uint64_t bytes) {
  constexpr std::uint32_t column = 4;
  for (std::uint32_t k = 0; k * column < slot.bytes; ++k)
    if (at <= k * column && std::min((k + 1) * column, slot.bytes) <= at + bytes)
      rows.push_back({slot.offset + k * column * isa::warp_size, column});
}

Slot FunctionLowering::register_slot(unsigned bytes) {
  if (bytes == 0) throw NotCovered{"a predicate as a call argument"};
  return {frame_.allocate_slot(bytes), bytes};
}

void FunctionLowering::set_target(const ptx::CallStatement& call, Instruction& i, MachineOperands& detail) {
  const std::string& target = call.target.text;
  if (const auto found = context_.functions.find(target); found != context_.functions.end()) {
    detail.function = found->second;
  } else if (target == "vprintf" || target == "__assertfail") {
    i.action = Action::builtin;
    detail.builtin = target == "vprintf" ? Builtin::vprintf : Builtin::assert_fail;
    const std::size_t wanted = detail.builtin == Builtin::vprintf ? 2 : 5;
    if (detail.arguments.size() != wanted) fail(fmt::format("{} takes {} arguments", target, wanted));
  } else if (const Symbol* symbol = symbols_.find(target); symbol && symbol->kind == Symbol::Kind::reg) {
    if (symbol->bytes != 8) fail(fmt::format("the function address {} must have 64 bits", target));
    i.operand[0] = read(*symbol);
  } else {
    throw NotCovered{fmt::format("a call of {}, whose body is not in the module", target)};
  }
}

}  // namespace foldproof::emulated
