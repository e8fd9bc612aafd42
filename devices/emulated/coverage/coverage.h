// Which ways branches went, and what values were compared with: what a generator of cases needs to reach the
// rest.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

/// Owns what a job covers; the executor reports to it where a job asks for coverage, and pays nothing where
/// not. Sites are those of Instruction::site.
class Coverage {
 public:
  /// How many warp instructions sent a lane that way.
  struct Branch {
    std::uint64_t taken = 0, not_taken = 0;
  };
  /// Raw bits of the two operands of one comparison.
  using Operands = std::pair<std::uint64_t, std::uint64_t>;
  /// Different operand pairs kept per comparison; later ones are dropped.
  static constexpr std::size_t most_operands = 16;

  /// The lanes of a group at a conditional branch, and those of them that take it.
  void branches(const isa::Instruction& i, isa::LaneMask lanes, isa::LaneMask taken);
  /// A comparison (Form::compare), before its result is written.
  void compares(const Frame& frame, const isa::Instruction& i, isa::LaneMask lanes);

  const std::map<std::uint32_t, Branch>& branches() const { return branches_; }
  const std::map<std::uint32_t, std::vector<Operands>>& comparisons() const { return comparisons_; }

 private:
  std::map<std::uint32_t, Branch> branches_;
  std::map<std::uint32_t, std::vector<Operands>> comparisons_;
};

}  // namespace foldproof::emulated
