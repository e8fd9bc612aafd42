// Reconvergence points of diverged lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

/// Whether the executing lanes leave the function here; a guard may let other lanes continue.
inline bool leaves(const isa::Instruction& i) {
  return i.action == isa::Action::ret || i.action == isa::Action::exit || i.action == isa::Action::trap;
}

/// Calls visit(from, to) for each instruction and each possible successor; the end of the code is the
/// successor of instructions that leave. `indexed_targets`: the targets of indexed branches, in order, one
/// list each.
template <class Visit>
void for_each_flow(const std::vector<isa::Instruction>& code,
                   const std::vector<const std::vector<std::uint32_t>*>& indexed_targets, Visit visit) {
  std::size_t next_indexed = 0;
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    const isa::Instruction& i = code[pc];
    const bool always = i.guard == isa::no_operand;
    if (i.action == isa::Action::branch) visit(pc, std::size_t{i.target});
    if (i.action == isa::Action::branch_indexed)
      for (const std::uint32_t target : *indexed_targets[next_indexed++]) visit(pc, std::size_t{target});
    if (leaves(i)) visit(pc, code.size());
    const bool goes_elsewhere =
        i.action == isa::Action::branch_indexed || (always && (leaves(i) || i.action == isa::Action::branch));
    if (!goes_elsewhere) visit(pc, pc + 1);
  }
}

/// Finds the immediate post-dominator of every branch that may diverge, inserts an Action::join before each
/// of those places (and after each call), and updates Instruction::target and ::join to the new code.
/// `targets` of indexed branches, one list each, are rewritten as well.
void insert_joins(std::vector<isa::Instruction>& code,
                  const std::vector<std::vector<std::uint32_t>*>& indexed_targets);

/// A number for each instruction, equal for instructions in the same loop (strongly connected component).
/// `targets` as above.
std::vector<std::size_t> loops_of(const std::vector<isa::Instruction>& code,
                                  const std::vector<const std::vector<std::uint32_t>*>& indexed_targets);

}  // namespace foldproof::emulated
