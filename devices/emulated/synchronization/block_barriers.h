// The 16 barriers of a block (bar.sync, bar.arrive, bar.red).
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/emulated/synchronization/parts.h"

namespace foldproof::emulated {

class BlockBarriers {
 public:
  explicit BlockBarriers(const Parts& parts) : parts_(parts) {}

  /// The group at `index` arrives at a barrier instruction; its lanes that name another barrier become a
  /// separate group. The group waits unless it is the last to arrive or the instruction is bar.arrive.
  void arrive(Warp& warp, std::size_t index);
  /// Lanes of the warp have exited, which counts as arriving at every barrier.
  void recheck(Warp& warp);

 private:
  std::uint32_t barrier_in_register(Warp& warp, std::size_t index);
  std::uint32_t wanted_threads(const DivergentGroup& group) const;
  void count_votes(const Warp& warp, Barrier& barrier, const DivergentGroup& group);
  static bool is_complete(const Block& block, Barrier& barrier);
  void release(Block& block, unsigned number);

  Parts parts_;
};

}  // namespace foldproof::emulated
