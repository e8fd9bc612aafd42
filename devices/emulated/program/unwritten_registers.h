// Registers that a function may read before writing them: uninitialised variables.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

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
/// instruction order, with the first instruction that reads them. `uses` are by instruction;
/// `indexed_targets` as in control_flow.h.
std::vector<FunctionCode::Unwritten> unwritten_registers(
    const std::vector<Instruction>& code,
    const std::vector<const std::vector<std::uint32_t>*>& indexed_targets,
    const std::vector<RegisterUse>& uses);

}  // namespace foldproof::emulated
