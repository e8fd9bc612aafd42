// Creates instructions and appends them to the code.
#include <fmt/format.h>

#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {

Instruction FunctionLowering::make(const Form* form) const {
  Instruction i = make_machine(form->action);
  i.form = form;
  i.compute = form->compute;
  return i;
}

Instruction FunctionLowering::make_machine(Action action) const {
  Instruction i;
  i.action = action;
  i.loc = at_.loc;
  i.ptx_line = at_.ptx_line;
  return i;
}

void FunctionLowering::set_guard(const std::optional<ptx::Name>& guard, bool negated, Instruction& i) {
  if (!guard) return;
  i.guard = guard_row(*guard);
  i.guard_negated = negated;
}

void FunctionLowering::emit(Instruction i) { code_.instructions.push_back(i); }

void FunctionLowering::emit(Instruction i, MachineOperands detail) {
  i.detail = static_cast<std::uint32_t>(context_.program.details.size());
  context_.program.details.push_back(std::move(detail));
  emit(i);
}

// The stop keeps the statement's guard: it applies only to lanes that would execute the statement.
void FunctionLowering::emit_stop(const std::optional<ptx::Name>& guard, bool negated,
                                 const std::string& what) {
  Instruction i = make_machine(Action::unsupported);
  set_guard(guard, negated, i);
  i.target = static_cast<std::uint32_t>(context_.program.unsupported.size());
  context_.program.unsupported.push_back(what);
  emit(i);
}

// The end of a body returns like `ret`.
void FunctionLowering::emit_end() {
  at_ = {function_.ptx_line, 0};
  emit_return(make_machine(Action::ret));
}

// Returning from an entry exits the thread.
void FunctionLowering::emit_return(Instruction i) {
  for (const auto& [row, slot, bytes] : returned_registers_)
    emit_slot_access(Action::store, slot, row, bytes);
  i.action = function_.is_entry ? Action::exit : Action::ret;
  emit(i);
}

// `guarded`: the instruction whose guard also applies here.
void FunctionLowering::emit_slot_access(Action action, const Slot& slot, std::uint32_t row, unsigned bytes,
                                        const Instruction* guarded) {
  Instruction i = make_machine(action);
  if (guarded) {
    i.guard = guarded->guard;
    i.guard_negated = guarded->guard_negated;
  }
  MachineOperands detail;
  detail.address = {MachineOperands::Base::slot, slot.offset, 0};
  detail.element_bytes = detail.register_bytes = static_cast<std::uint8_t>(bytes);
  detail.data = {row};
  static const Form plain{};
  i.form = &plain;
  emit(i, std::move(detail));
}

void FunctionLowering::emit_special(Instruction i, const SpecialRow& special, std::uint32_t row,
                                    unsigned bytes) {
  if (bytes > 8) throw NotCovered{fmt::format("{} in a register of 128 bits", special.name)};
  if (special.name.starts_with("%reserved_smem_")) reserve_shared_memory();
  MachineOperands detail;
  detail.special = special.id;
  detail.register_bytes = static_cast<std::uint8_t>(bytes);
  i.operand[0] = row;
  emit(i, std::move(detail));
}

// Programs that read the address of the reserved shared memory get this region.
void FunctionLowering::reserve_shared_memory() {
  auto& shared = context_.program.shared;
  for (const SharedVariable& variable : shared)
    if (variable.address == reserved_shared_address) return;
  shared.push_back(
      {"the reserved shared memory", "", reserved_shared_address, reserved_shared_bytes, 0, false});
}

}  // namespace foldproof::emulated
