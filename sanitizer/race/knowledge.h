// What a thread knows to be over. Knowledge travels with barriers, and from releases to acquires.
//
//   Every warp counts its releases; what a lane does carries the count as its time. To know a lane up to time
//   t is to know all that it did at times before t: all of that happened before the present of whoever knows
//   it.
//
//   A tree over the warps of the grid, never changed once it is made: what has been joined shares all in
//   which it does not differ, so that passing knowledge on costs what is new in it, not what is known.
//
//            ┌────────┴────────┐            each level 32 children wide, as high as block numbers ask for
//        block 0           block 1          a block: the time up to which all of its threads are known
//        ┌───┴───┐             │
//      warp 0  warp 2       warp 5          a warp: a time for each lane, where beyond the block's
#pragma once

#include <array>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>

#include "sanitizer/observer.h"

namespace foldproof {

using Time = std::uint32_t;
using LaneTimes = std::array<Time, lanes_per_warp>;

struct KnowledgeNode : boost::intrusive_ref_counter<KnowledgeNode, boost::thread_unsafe_counter> {
  virtual ~KnowledgeNode() = default;
};

class Knowledge {
 public:
  /// Knows nothing.
  Knowledge() = default;
  /// All threads of a warp's block up to time `whole`, and each lane of the warp up to its own time.
  Knowledge(const WarpId& warp, Time whole, const LaneTimes& lanes);

  bool empty() const { return !root_; }
  /// Whether both are one: knowledge that came about in different ways may differ in this and be equal.
  bool is(const Knowledge& other) const { return root_ == other.root_; }

  /// Whatever either of the two knows.
  void join(const Knowledge& other);

  /// Those of `lanes` that are not known beyond `time`.
  LaneSet unknown(const WarpId& warp, LaneSet lanes, Time time) const;
  /// Whether anything that the block did is known.
  bool mentions(BlockNumber block) const;

 private:
  const KnowledgeNode* find(BlockNumber block) const;

  boost::intrusive_ptr<const KnowledgeNode> root_;
  unsigned height_ = 0;  ///< level of the root: 0 for that of a block
};

}  // namespace foldproof
