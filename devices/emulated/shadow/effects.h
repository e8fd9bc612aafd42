// Effects that execution reports to the owners of shadow state, once per warp instruction, before registers
// and memory change. Effects are stack values that refer to the executor's state.
//
//   loads, stores                             WarpAccess (memory/warp_access.h)
//   atomics                                   WarpAccess, and an AtomicStep per element
//   shfl                                      LaneRouting
//   vote, match, redux                        Gather
//   branches, calls, addresses, masks …       Decision
#pragma once

#include <array>
#include <cstdint>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

/// One element of one lane's read-modify-write. Memory still holds `old`. Lanes are reported in ascending
/// order.
struct AtomicStep {
  unsigned lane = 0, element = 0;
  std::uint64_t old = 0, now = 0;
};

/// shfl d|p, a, b, c: lane l receives the value of `a` in lane from[l].
struct LaneRouting {
  /// Operands of the instruction.
  static constexpr unsigned result = 0, predicate = 1, source = 2, lane = 3, bounds = 4;

  const Warp& warp;
  Members members;
  LaneMask present = 0;                             ///< lanes of all members
  std::array<std::uint8_t, isa::warp_size> from{};  ///< by present lane; the source may be absent
};

/// An operation whose result in every lane depends on an operand of each present lane.
struct Gather {
  enum class Gives : std::uint8_t { predicate, ballot, equal_lanes, fold };

  const Warp& warp;
  Members members;
  unsigned source = 1;  ///< index of the operand that each lane contributes
  Gives gives = Gives::predicate;
};

/// Half a row of an 8 by 8 matrix (ldmatrix, stmatrix): two bytes between a register and the memory addressed
/// by lane `giver`.
struct MatrixPart {
  std::uint32_t row = 0, column = 0;  ///< in the register file, in bytes
  unsigned giver = 0;
  std::uint32_t offset = 0;  ///< in the giver's memory, in bytes
};

/// What the value of a row determines.
struct Decision {
  enum class Of : std::uint8_t {
    branch,
    execution,  ///< the guard of any other instruction
    callee,
    address,
    member_mask,
    barrier_number,
    barrier_vote,
    shuffle_lane,
    shuffle_bounds,
    copied_bytes,
    mbarrier,
    compared_by_match
  };
  const Warp& warp;
  Frame& frame;
  const Instruction& i;
  std::uint32_t row = 0;
  LaneMask lanes = 0;
  Of of = Of::branch;
};

}  // namespace foldproof::emulated
