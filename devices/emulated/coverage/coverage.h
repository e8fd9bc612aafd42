// Branch directions taken and comparison operands seen: the feedback for generating cases that reach the
// rest.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

/// Collects the coverage of a job. The executor reports to it only if the job requests coverage, so it costs
/// nothing otherwise. Sites are those of Instruction::site.
class Coverage {
 public:
  /// Number of warp instructions in which at least one lane took, or did not take, the branch.
  struct Branch {
    std::uint64_t taken = 0, not_taken = 0;
  };
  /// The bits of the two operands of one comparison.
  using Operands = std::pair<std::uint64_t, std::uint64_t>;
  /// Maximum number of distinct operand pairs kept per comparison; later ones are dropped.
  static constexpr std::size_t most_operands = 16;

  /// `lanes`: the lanes of a group at a conditional branch; `taken`: those that take it.
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
