// Where lanes that took different ways meet again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::machine {

/// Finds the immediate post-dominator of every branch that lanes may take differently, inserts an
/// Action::join before each of those places (and after each call), and makes Instruction::target and ::join
/// point into the new code. `targets` of indexed branches, one list each, are rewritten as well.
void insert_joins(std::vector<isa::Instruction>& code,
                  const std::vector<std::vector<std::uint32_t>*>& indexed_targets);

/// A number for each instruction: equal for those that are in one loop with each other (strongly connected).
/// `targets` as above.
std::vector<std::size_t> loops_of(const std::vector<isa::Instruction>& code,
                                  const std::vector<const std::vector<std::uint32_t>*>& indexed_targets);

}  // namespace foldproof::machine
