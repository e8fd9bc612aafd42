// Vector clocks: the events that happened before a thread's present. Barriers, and releases with acquires,
// pass them on.
//
//   Every warp counts its releases; each action of a lane carries the count as its time. To know a lane up to
//   time t is to know everything that it did at times before t: all of it happened before the present of the
//   knowing thread.
//
//   A persistent tree over the warps of the grid: nodes are immutable, and joined trees share all subtrees in
//   which they do not differ, so passing a clock on costs what is new in it, not what it knows.
//
//            ┌────────┴────────┐            32 children per level; the height depends on block numbers
//        block 0           block 1          a block: the time up to which all of its threads are known
//        ┌───┴───┐             │
//      warp 0  warp 2       warp 5          a warp: a time for each lane, if beyond the block's
#pragma once

#include <array>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>

#include "sanitizer/observer.h"

namespace foldproof {

using Time = std::uint32_t;
using LaneTimes = std::array<Time, lanes_per_warp>;

struct VectorClockNode : boost::intrusive_ref_counter<VectorClockNode, boost::thread_unsafe_counter> {
  virtual ~VectorClockNode() = default;
};

class VectorClock {
 public:
  /// Knows nothing.
  VectorClock() = default;
  /// All threads of a warp's block up to time `whole`, and each lane of the warp up to its own time.
  VectorClock(const WarpId& warp, Time whole, const LaneTimes& lanes);

  bool empty() const { return !root_; }
  /// Whether both share one tree. Equal clocks that were built in different ways may not.
  bool is(const VectorClock& other) const { return root_ == other.root_; }

  /// Adds everything that `other` knows.
  void join(const VectorClock& other);

  /// The lanes of `lanes` that are not known beyond `time`.
  LaneSet unknown(const WarpId& warp, LaneSet lanes, Time time) const;
  /// Whether anything that the block did is known.
  bool mentions(BlockNumber block) const;
  static constexpr BlockNumber no_block = ~BlockNumber{0};
  /// The first block that is known, starting at `from`; no_block if there is none.
  BlockNumber next_mentioned(BlockNumber from) const;

 private:
  friend class JoinedClocks;
  const VectorClockNode* find(BlockNumber block) const;

  boost::intrusive_ptr<const VectorClockNode> root_;
  unsigned height_ = 0;  ///< level of the root: 0 for a block
};

/// Joins clocks and remembers the latest results: many lanes that know the same learn the same, and equal
/// results share one tree.
class JoinedClocks {
 public:
  /// to.join(what)
  void add(VectorClock& to, const VectorClock& what);

 private:
  struct Result {
    VectorClock before, what, after;
  };
  std::array<Result, 64> results_;
};

}  // namespace foldproof
