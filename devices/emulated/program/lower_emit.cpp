// Creates instructions and appends them to the code.
#include <fmt/format.h>

#include <algorithm>

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
  const Symbol& predicate = register_named(*guard);
  if (predicate.bytes != 0) fail(fmt::format("the guard {} is not a predicate", guard->text));
  i.guard = read(predicate);
  i.guard_negated = negated;
}

void FunctionLowering::emit(Instruction i) { code_.instructions.push_back(i); }

void FunctionLowering::emit(Instruction i, MachineOperands detail) {
  i.detail = static_cast<std::uint32_t>(context_.program.details.size());
  context_.program.details.push_back(std::move(detail));
  emit(i);
}

// Returning from an entry exits the thread.
void FunctionLowering::emit_return(Instruction i) {
  for (const auto& [row, slot, bytes] : returned_registers_) {
    use_.reads.push_back({row, bytes});
    emit_slot_access(Action::store, slot, row, bytes);
  }
  for (const Slot& slot : returned_slots_) add_rows(use_.reads, slot, 0, slot.bytes);
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
  // Programs that read the address of the reserved shared memory get this region.
  auto& shared = context_.program.shared;
  if (special.name.starts_with("%reserved_smem_") &&
      std::ranges::find(shared, reserved_shared_address, &SharedVariable::address) == shared.end())
    shared.push_back(
        {"the reserved shared memory", "", reserved_shared_address, reserved_shared_bytes, 0, false});
  MachineOperands detail;
  detail.special = special.id;
  detail.register_bytes = static_cast<std::uint8_t>(bytes);
  i.operand[0] = row;
  emit(i, std::move(detail));
}

}  // namespace foldproof::emulated
