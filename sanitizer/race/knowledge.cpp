#include "sanitizer/race/knowledge.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace foldproof {
namespace {

using Part = Knowledge::Part;

// Whole blocks come first in their block, later times first: what is said already is seen at once.
bool before(const Part& a, const Part& b) {
  return std::tuple(a.warp.block, !a.whole_block, a.warp.warp, b.time) <
         std::tuple(b.warp.block, !b.whole_block, b.warp.warp, a.time);
}

void merge_parts(std::vector<Part>& parts) {
  std::sort(parts.begin(), parts.end(), before);
  std::vector<Part> kept;
  Time whole = 0;       // of the present block
  LaneSet covered = 0;  // of the present warp, by parts of later times
  for (const Part& part : parts) {
    const bool new_block = kept.empty() || kept.back().warp.block != part.warp.block;
    if (new_block) whole = 0;
    if (new_block || kept.back().whole_block || !(kept.back().warp == part.warp)) covered = 0;
    if (part.time <= whole || (!part.whole_block && (part.lanes & ~covered) == 0)) continue;
    if (part.whole_block)
      whole = part.time;
    else
      covered |= part.lanes;
    kept.push_back(part);
  }
  parts = std::move(kept);
}

}  // namespace

Knowledge::Knowledge(std::vector<Part> parts, std::vector<Pointer> parents)
    : parts_(std::move(parts)), parents_(std::move(parents)) {
  std::erase(parents_, nullptr);
  unmerged_ = parts_.size();
  for (const Pointer& parent : parents_) {
    unmerged_ += parent->flat_ ? 1 : parent->unmerged_;
    merged_ = std::max(merged_, parent->flat_ ? parent->parts_.size() : parent->merged_);
  }
  constexpr std::size_t few = 256;
  if (unmerged_ > std::max(few, merged_)) gather();
}

// Chains of knowledge may be as long as a grid has blocks: they are taken apart without recursion.
Knowledge::~Knowledge() {
  std::vector<Pointer> left = std::move(parents_);
  while (!left.empty()) {
    const Pointer next = std::move(left.back());
    left.pop_back();
    if (next.use_count() != 1) continue;
    std::move(next->parents_.begin(), next->parents_.end(), std::back_inserter(left));
    next->parents_.clear();
  }
}

// Messages are chains, of which each reader looks at another end: what it joins with its own is flattened for
// the next readers, too.
void Knowledge::flatten() const {
  if (flat_) return;
  for (const Pointer& parent : parents_) parent->gather();
  gather();
}

void Knowledge::gather() const {
  if (flat_) return;
  std::unordered_set<const Knowledge*> seen;
  std::vector<const Knowledge*> left;
  const auto visit = [&](const Knowledge& k) {
    for (const Pointer& parent : k.parents_)
      if (seen.insert(parent.get()).second) left.push_back(parent.get());
  };
  visit(*this);
  while (!left.empty()) {
    const Knowledge& next = *left.back();
    left.pop_back();
    parts_.insert(parts_.end(), next.parts_.begin(), next.parts_.end());
    visit(next);
  }
  merge_parts(parts_);
  parents_.clear();
  flat_ = true;
}

LaneSet Knowledge::unknown(const WarpId& warp, LaneSet lanes, Time time) const {
  flatten();
  auto part = std::lower_bound(parts_.begin(), parts_.end(), warp.block,
                               [](const Part& p, BlockNumber block) { return p.warp.block < block; });
  for (; lanes != 0 && part != parts_.end() && part->warp.block == warp.block; ++part) {
    if (part->time <= time) continue;
    if (part->whole_block) return 0;
    if (part->warp.warp == warp.warp) lanes &= ~part->lanes;
  }
  return lanes;
}

bool Knowledge::mentions(BlockNumber block) const {
  flatten();
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.warp.block == block; });
}

}  // namespace foldproof
