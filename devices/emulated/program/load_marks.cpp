#include "devices/emulated/program/load_marks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "devices/emulated/isa/shadow_propagation.h"
#include "devices/emulated/program/control_flow.h"

namespace foldproof::emulated {
namespace {

using Rows = std::unordered_set<std::uint32_t>;

bool is_weak(const Instruction& i) {
  return i.form->semantics == isa::Semantics::none || i.form->semantics == isa::Semantics::weak;
}

// Whether other threads may change the value that the instruction reads: strong loads and atomics.
bool may_poll(const Instruction& i) {
  return i.action == Action::atomic || (i.action == Action::load && !is_weak(i));
}

// The row on which the direction of a branch depends; no_operand if it is always taken.
std::uint32_t decider(const Instruction& i) {
  if (i.action == Action::branch_indexed) return i.operand[0];
  return i.action == Action::branch ? i.guard : isa::no_operand;
}

using Loop = std::vector<Instruction*>;

// The rows that may influence a branch in the loop, through any number of its instructions: traced backwards,
// independent of instruction order.
Rows deciding_rows(const Loop& loop) {
  std::unordered_map<std::uint32_t, std::vector<const Instruction*>> writers;
  Rows deciding;
  std::vector<std::uint32_t> open;
  const auto add = [&](std::uint32_t row) {
    if (row != isa::no_operand && deciding.insert(row).second) open.push_back(row);
  };
  for (const Instruction* i : loop) {
    add(decider(*i));
    if (i->action == Action::compute)
      isa::for_each_row(*i, [&](std::uint32_t row, unsigned, bool written) {
        if (written) writers[row].push_back(i);
      });
  }
  while (!open.empty()) {
    const auto found = writers.find(open.back());
    open.pop_back();
    if (found == writers.end()) continue;
    for (const Instruction* i : std::exchange(found->second, {})) {
      add(i->guard);
      isa::for_each_row(*i, [&](std::uint32_t row, unsigned, bool written) {
        if (!written) add(row);
      });
    }
  }
  return deciding;
}

void mark_polls(Loop& loop, const std::vector<MachineOperands>& details) {
  if (loop.size() == 1 || std::ranges::none_of(loop, [](const Instruction* i) { return may_poll(*i); }))
    return;
  const Rows deciding = deciding_rows(loop);
  for (Instruction* i : loop) {
    if (!may_poll(*i)) continue;
    const auto& data = details[i->detail].data;
    // An atomic's sources follow its destinations.
    const auto end = i->action == Action::atomic ? data.begin() + i->form->vector : data.end();
    i->polled = std::any_of(data.begin(), end, [&](std::uint32_t row) { return deciding.contains(row); });
  }
}

void mark_polls(std::vector<Instruction>& instructions, const std::vector<MachineOperands>& details) {
  if (std::ranges::none_of(instructions, may_poll)) return;
  const std::vector<std::size_t> loop_of = loops_of(instructions, details);
  std::unordered_map<std::size_t, Loop> loops;
  for (std::size_t pc = 0; pc < instructions.size(); ++pc) loops[loop_of[pc]].push_back(&instructions[pc]);
  for (auto& [number, loop] : loops) mark_polls(loop, details);
}

/// A row of a function's frame.
struct Cell {
  std::size_t function = 0;
  std::uint32_t row = 0;
  auto operator<=>(const Cell&) const = default;
};
using Sources = std::map<Cell, std::vector<Cell>>;

// The copies between registers and into function parameters.
Sources copies_in(const Program& program) {
  Sources sources;
  const auto add = [&](Cell from, Cell to) { sources[to].push_back(from); };
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (const Instruction& i : program.functions[f].instructions) {
      if (i.action == Action::compute && isa::moves_bits(*i.form))
        isa::for_each_row(i, [&](std::uint32_t to, unsigned, bool written) {
          if (written)
            isa::for_each_row(i, [&](std::uint32_t from, unsigned, bool also_written) {
              if (!also_written) add({f, from}, {f, to});
            });
        });
      if (i.detail == isa::no_operand) continue;
      const MachineOperands& detail = program.details[i.detail];
      const bool stores = i.action == Action::store;
      if (i.action == Action::call && detail.function != isa::no_operand) {
        const std::vector<Slot>& parameters = program.functions[detail.function].parameters;
        for (std::size_t k = 0; k < std::min(detail.arguments.size(), parameters.size()); ++k)
          add({f, detail.arguments[k].offset}, {detail.function, parameters[k].offset});
      } else if ((stores || i.action == Action::load) && detail.data.size() == 1 &&
                 detail.address.base == MachineOperands::Base::slot) {
        const auto word = static_cast<std::uint32_t>(detail.address.displacement / 4);
        const Cell data{f, detail.data[0]}, slot{f, detail.address.row + word * 128};
        add(stores ? data : slot, stores ? slot : data);
      }
    }
  return sources;
}

// All cells from which the value of one of these may have been copied, including themselves: traced
// backwards, independent of instruction order.
std::set<Cell> origins_of(std::vector<Cell> open, const Sources& sources) {
  std::set<Cell> seen(open.begin(), open.end());
  while (!open.empty()) {
    const auto from = sources.find(open.back());
    open.pop_back();
    if (from == sources.end()) continue;
    for (const Cell& cell : from->second)
      if (seen.insert(cell).second) open.push_back(cell);
  }
  return seen;
}

/// Whether another instruction of the function uses the old value that the swap returns. A swap whose result
/// is unused validates nothing.
bool has_used_result(const Program& program, const FunctionCode& function, const Instruction& swap) {
  const std::uint32_t result = program.details[swap.detail].data[0];
  if (result == isa::no_operand) return false;
  return std::ranges::any_of(function.instructions, [&](const Instruction& i) {
    if (&i == &swap) return false;
    bool is_used = i.guard == result || decider(i) == result;
    if (i.action == Action::compute)
      isa::for_each_row(
          i, [&](std::uint32_t row, unsigned, bool written) { is_used |= !written && row == result; });
    if (i.detail == isa::no_operand) return is_used;
    const MachineOperands& detail = program.details[i.detail];
    return is_used || detail.address.row == result || std::ranges::count(detail.data, result) != 0 ||
           std::ranges::count(detail.arguments, result, &Slot::offset) != 0;
  });
}

/// Marks the weak loads whose value the swap expects at the address from which they were loaded.
void mark_confirmed_by(const Instruction& swap, std::size_t function, Program& program,
                       const Sources& copies) {
  const MachineOperands& swapped = program.details[swap.detail];
  const std::set<Cell> guessed = origins_of({{function, swapped.data[1]}}, copies);
  const std::set<Cell> addresses = origins_of({{function, swapped.address.row}}, copies);
  const auto is_same_address = [&](std::size_t f, const MachineOperands::Address& address) {
    if (address.displacement != swapped.address.displacement) return false;
    if (address.row == isa::no_operand || swapped.address.row == isa::no_operand)
      return address.row == swapped.address.row;
    return std::ranges::any_of(origins_of({{f, address.row}}, copies),
                               [&](const Cell& cell) { return addresses.contains(cell); });
  };
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (Instruction& load : program.functions[f].instructions)
      if (load.action == Action::load && is_weak(load) && !load.cas_confirmed) {
        const MachineOperands& detail = program.details[load.detail];
        load.cas_confirmed = std::ranges::any_of(detail.data,
                                                 [&](std::uint32_t row) {
                                                   return guessed.contains({f, row});
                                                 }) &&
                             is_same_address(f, detail.address);
      }
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

void mark_polls(Program& program) {
  for (FunctionCode& code : program.functions) mark_polls(code.instructions, program.details);
}

void mark_confirmed(Program& program) {
  std::optional<Sources> copies;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (const Instruction& i : program.functions[f].instructions) {
      if (i.action != Action::atomic || i.form->atomic != isa::AtomicKind::cas) continue;
      if (!has_used_result(program, program.functions[f], i)) continue;
      if (!copies) copies = copies_in(program);
      mark_confirmed_by(i, f, program, *copies);
    }
}

}  // namespace foldproof::emulated
