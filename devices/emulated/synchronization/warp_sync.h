// Warp-synchronous operations: the .sync instructions, at which a lane waits for all lanes of its member
// mask.
#pragma once

#include <cstddef>

#include "devices/emulated/synchronization/parts.h"

namespace foldproof::emulated {

class WarpSync {
 public:
  explicit WarpSync(const Parts& parts) : parts_(parts) {}

  /// The group at `index` arrives at a .sync instruction. Returns true if the operation was performed
  /// immediately and involved only this group, which continues. Returns false if the group waits, or other
  /// groups continued as well.
  bool arrive(Warp& warp, std::size_t index);
  /// Lanes of the warp have exited: performs the operations that waited only for them.
  void recheck(Warp& warp);

 private:
  LaneMask member_mask(Warp& warp, std::size_t index);
  void try_to_complete(Warp& warp, LaneMask mask, const isa::Form* form);
  void perform(Warp& warp, Members members);

  // shuffle.cpp
  void shuffle(Warp& warp, Members members);
  // votes.cpp
  void vote(Warp& warp, Members members);
  void match(Warp& warp, Members members);
  void reduce(Warp& warp, Members members);
  void elect(Warp& warp, Members members);
  // matrices.cpp
  void whole_warp(Warp& warp, Members members);
  void move_matrices(Warp& warp, Frame& frame, const Instruction& i);

  Parts parts_;
};

}  // namespace foldproof::emulated
