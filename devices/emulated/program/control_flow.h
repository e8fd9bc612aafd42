// What the control flow of a function determines: reconvergence points of diverged lanes, loops, and
// registers that may be read before they are written: uninitialized variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/emulated/program/flow_graph.h"
#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// The possible successors of each instruction. The last vertex is the end of the function, the successor of
/// instructions that leave it. `details` are the program's.
FlowGraph flow_of(const std::vector<Instruction>& code, const std::vector<MachineOperands>& details);

/// Finds the immediate post-dominator of every branch that may diverge, inserts an Action::join before each
/// of those places (and after each call), and updates Instruction::target, ::join and the targets of indexed
/// branches to the new code.
void insert_joins(std::vector<Instruction>& code, std::vector<MachineOperands>& details);

/// A number for each instruction, equal for instructions in the same loop (strongly connected component).
std::vector<std::size_t> loops_of(const std::vector<Instruction>& code,
                                  const std::vector<MachineOperands>& details);

/// The registers that one instruction reads, and then writes.
struct RegisterUse {
  struct Register {
    std::uint32_t row = 0;
    std::uint32_t bytes = 0;  ///< of a column; 0: a predicate
  };
  std::vector<Register> reads, writes;
  bool guarded = false;  ///< the write may be disabled by a guard
};

/// The registers that may be read without a preceding write on some path, derived from
/// instruction order, with the first instruction that reads them. `uses` are by instruction.
std::vector<FunctionCode::Unwritten> unwritten_registers(const std::vector<Instruction>& code,
                                                         const std::vector<MachineOperands>& details,
                                                         const std::vector<RegisterUse>& uses);

}  // namespace foldproof::emulated
