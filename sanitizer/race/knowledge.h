// What a thread knows to be over. Knowledge travels with barriers, and from releases to acquires.
//
//   Every warp counts its releases; what a lane does carries the count as its time. To know a lane up to time
//   t is to know all that it did at times before t: all of that happened before the present of whoever knows
//   it.
//
//   Knowledge is made by joining other knowledge, which costs little until somebody looks something up: then
//   the parents are merged into one sorted list. So they are when there are as many as the longest list so
//   far, since what nobody looks up (a ticket that each block draws) must not pile up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sanitizer/observer.h"

namespace foldproof {

using Time = std::uint32_t;

class Knowledge {
 public:
  using Pointer = std::shared_ptr<const Knowledge>;

  /// Lanes of a warp (or, with `whole_block`, all threads of its block), known up to `time`.
  struct Part {
    WarpId warp;
    bool whole_block = false;
    LaneSet lanes = 0;
    Time time = 0;
  };

  Knowledge(std::vector<Part> parts, std::vector<Pointer> parents);
  ~Knowledge();
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  /// Those of `lanes` that are not known beyond `time`.
  LaneSet unknown(const WarpId& warp, LaneSet lanes, Time time) const;
  /// Whether anything that the block did is known.
  bool mentions(BlockNumber block) const;

 private:
  void flatten() const;
  void gather() const;

  // The parts of a flat object are sorted by block; no part says what another one says already.
  mutable std::vector<Part> parts_;
  mutable std::vector<Pointer> parents_;
  mutable bool flat_ = false;
  std::size_t unmerged_ = 0;  ///< parts and parents that flattening would merge, about
  std::size_t merged_ = 0;    ///< the longest list among them
};

}  // namespace foldproof
