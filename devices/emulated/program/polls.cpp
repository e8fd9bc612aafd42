#include "devices/emulated/program/polls.h"

#include <algorithm>
#include <map>
#include <set>

#include "devices/emulated/isa/shadow_propagation.h"
#include "devices/emulated/program/control_flow.h"

namespace foldproof::emulated {
namespace {

using Rows = std::set<std::uint32_t>;

// Whether other threads may change the value that the instruction reads: strong loads and atomics.
bool may_poll(const Instruction& i) {
  if (i.action == Action::atomic) return true;
  return i.action == Action::load && i.form->semantics != isa::Semantics::none &&
         i.form->semantics != isa::Semantics::weak;
}

// Whether the instruction reads influenced rows; if so, the rows that it writes become influenced. Returns
// whether new rows were added.
bool propagate(const Instruction& i, Rows& influenced) {
  bool reads = influenced.contains(i.guard), grew = false;
  isa::for_each_row(
      i, [&](std::uint32_t row, unsigned, bool written) { reads |= !written && influenced.contains(row); });
  if (reads)
    isa::for_each_row(i, [&](std::uint32_t row, unsigned, bool written) {
      if (written) grew |= influenced.insert(row).second;
    });
  return grew;
}

bool decides(const Instruction& i, const Rows& influenced) {
  if (i.action == Action::branch_indexed) return influenced.contains(i.operand[0]);
  return i.action == Action::branch && i.guard != isa::no_operand && influenced.contains(i.guard);
}

}  // namespace

bool is_repeated(const Instruction& i) {
  if (i.polled) return true;
  switch (i.action) {
    case Action::load:
      return i.form->semantics == isa::Semantics::volatile_ || i.form->semantics == isa::Semantics::relaxed ||
             i.form->semantics == isa::Semantics::acquire;
    case Action::atomic:
      return i.form->atomic == isa::AtomicKind::cas || i.form->atomic == isa::AtomicKind::exch;
    case Action::mbarrier: return i.operand[0] != isa::no_operand;
    default: return false;
  }
}

void mark_polls(FunctionCode& code, const std::vector<MachineOperands>& details) {
  auto& instructions = code.instructions;
  if (std::none_of(instructions.begin(), instructions.end(), may_poll)) return;
  std::vector<const std::vector<std::uint32_t>*> indexed;
  for (const Instruction& i : instructions)
    if (i.action == Action::branch_indexed) indexed.push_back(&details[i.detail].targets);
  const std::vector<std::size_t> loop_of = loops_of(instructions, indexed);
  std::map<std::size_t, std::vector<const Instruction*>> loops;
  for (std::size_t pc = 0; pc < instructions.size(); ++pc) loops[loop_of[pc]].push_back(&instructions[pc]);
  for (std::size_t pc = 0; pc < instructions.size(); ++pc) {
    const auto& loop = loops[loop_of[pc]];
    if (!may_poll(instructions[pc]) || loop.size() == 1) continue;
    const auto& data = details[instructions[pc].detail].data;
    // An atomic's sources follow its destinations.
    const auto end =
        instructions[pc].action == Action::atomic ? data.begin() + instructions[pc].form->vector : data.end();
    Rows influenced(data.begin(), end);
    influenced.erase(isa::no_operand);
    const auto propagates = [&](const Instruction* i) {
      return i->action == Action::compute && propagate(*i, influenced);
    };
    while (std::count_if(loop.begin(), loop.end(), propagates) != 0) {
    }
    instructions[pc].polled =
        std::any_of(loop.begin(), loop.end(), [&](const Instruction* i) { return decides(*i, influenced); });
  }
}

}  // namespace foldproof::emulated
