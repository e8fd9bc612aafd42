#include "sanitizer/race/vector_clock.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sanitizer/lane_set.h"
#include "sanitizer/work.h"

namespace foldproof {
namespace {

using Pointer = boost::intrusive_ptr<const VectorClockNode>;

struct Warp final : VectorClockNode {
  explicit Warp(const LaneTimes& times) : lanes(times) {}
  LaneTimes lanes;
};

/// A block, whose children are warps, or a node above blocks.
struct Inner final : VectorClockNode {
  Time whole = 0;  ///< for a block: all threads are known up to it; children hold only what is known beyond
  LaneSet present = 0;  ///< the children that are not null
  std::array<Pointer, 32> children;

  void set(std::size_t child, Pointer node) {
    present =
        node ? present | bit(static_cast<unsigned>(child)) : present & ~bit(static_cast<unsigned>(child));
    children[child] = std::move(node);
  }

  /// Whether this node is known to include the other. When many clocks that share old subtrees learn the
  /// same, each pair of subtrees is compared only once.
  bool is_known_to_include(const Inner& other) const {
    return std::ranges::find(included_, other.id_) != included_.end();
  }
  void note_inclusion(const Inner& other) const { included_[next_++ % included_.size()] = other.id_; }

 private:
  static inline thread_local std::uint64_t last_id = 0;
  std::uint64_t id_ = ++last_id;
  /// The latest nodes that were joined with this one and added nothing; 0: none. Several, since clocks of
  /// several ages come in turn: what a thread knows, what its fence has released, what it has observed.
  mutable std::array<std::uint64_t, 4> included_{};
  mutable unsigned next_ = 0;
};

const Warp& as_warp(const Pointer& node) { return static_cast<const Warp&>(*node); }
const Inner& as_inner(const Pointer& node) { return static_cast<const Inner&>(*node); }

/// The index of the child that contains the block, in a node of this level.
std::size_t child_of(BlockNumber block, unsigned level) { return (block >> (5 * (level - 1))) % 32; }

/// The level of the root of the lowest tree that contains the block.
unsigned height_of(BlockNumber block) { return (static_cast<unsigned>(std::bit_width(block)) + 4) / 5; }

Pointer above(Pointer node, std::size_t child) {
  auto parent = boost::intrusive_ptr<Inner>(new Inner);
  parent->set(child, std::move(node));
  return parent;
}

bool is_beyond(const LaneTimes& lanes, Time time) {
  return std::any_of(lanes.begin(), lanes.end(), [=](Time known) { return known > time; });
}

Pointer joined(const Pointer& a, const Pointer& b) {
  ++steps_of_checks;
  LaneTimes lanes;
  bool all_of_a = true, all_of_b = true;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Time x = as_warp(a).lanes[k], y = as_warp(b).lanes[k];
    lanes[k] = std::max(x, y);
    all_of_a &= x >= y;
    all_of_b &= y >= x;
  }
  return all_of_a ? a : all_of_b ? b : Pointer(new Warp(lanes));
}

/// Returns `a` or `b` itself if the result equals it.
Pointer joined(const Pointer& a, const Pointer& b, unsigned level) {
  if (!b || a == b) return a;
  if (!a) return b;
  const Inner &x = as_inner(a), &y = as_inner(b);
  if (x.is_known_to_include(y)) return a;
  if (y.is_known_to_include(x)) return b;
  ++steps_of_checks;
  const Time whole = std::max(x.whole, y.whole);
  bool all_of_a = whole == x.whole, all_of_b = whole == y.whole;
  boost::intrusive_ptr<Inner> both;  // null as long as the result equals one of them
  for_lanes(x.present | y.present, [&](unsigned k) {
    const Pointer &left = x.children[k], &right = y.children[k];
    Pointer child = !right || left == right ? left
                    : !left                 ? right
                    : level == 0            ? joined(left, right)
                                            : joined(left, right, level - 1);
    if (level == 0 && child && !is_beyond(as_warp(child).lanes, whole)) child.reset();
    if (!both && !(all_of_a && child == left) && !(all_of_b && child == right)) {
      both = new Inner;
      both->whole = whole;
      for_lanes((x.present | y.present) & (bit(k) - 1),
                [&](unsigned m) { both->set(m, all_of_a ? x.children[m] : y.children[m]); });
    }
    all_of_a = all_of_a && child == left;
    all_of_b = all_of_b && child == right;
    if (both) both->set(k, std::move(child));
  });
  if (both) return both;
  (all_of_a ? x : y).note_inclusion(all_of_a ? y : x);
  return all_of_a ? a : b;
}

/// The first block below a node, from the given one on; `first` is the node's first block.
BlockNumber next_below(const Inner& node, unsigned level, BlockNumber first, BlockNumber from) {
  if (level == 0) return first;
  const unsigned bits = 5 * (level - 1);
  const BlockNumber start = std::max(from, first);
  for (BlockNumber child = (start - first) >> bits; child < node.children.size(); ++child) {
    const Pointer& below = node.children[child];
    if (!below) continue;
    const BlockNumber found = next_below(as_inner(below), level - 1, first + (child << bits), start);
    if (found != VectorClock::no_block) return found;
  }
  return VectorClock::no_block;
}

}  // namespace

VectorClock::VectorClock(const WarpId& warp, Time whole, const LaneTimes& lanes) {
  auto node = boost::intrusive_ptr<Inner>(new Inner);
  node->whole = whole;
  if (is_beyond(lanes, whole)) node->set(warp.warp, new Warp(lanes));
  root_ = std::move(node);
  while (height_ < height_of(warp.block)) {
    ++height_;
    root_ = above(std::move(root_), child_of(warp.block, height_));
  }
}

void VectorClock::join(const VectorClock& other) {
  if (other.root_ == root_ || other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  Pointer theirs = other.root_;
  for (unsigned level = other.height_; level < height_; ++level) theirs = above(std::move(theirs), 0);
  for (; height_ < other.height_; ++height_) root_ = above(std::move(root_), 0);
  root_ = joined(root_, theirs, height_);
}

const VectorClockNode* VectorClock::find(BlockNumber block) const {
  if (height_of(block) > height_) return nullptr;
  const VectorClockNode* node = root_.get();
  for (unsigned level = height_; node && level > 0; --level)
    node = static_cast<const Inner&>(*node).children[child_of(block, level)].get();
  return node;
}

LaneSet VectorClock::unknown(const WarpId& warp, LaneSet lanes, Time time) const {
  const auto* block = static_cast<const Inner*>(find(warp.block));
  if (!block) return lanes;
  if (block->whole > time) return 0;
  const Pointer& known = block->children[warp.warp];
  if (!known) return lanes;
  for_lanes(lanes, [&](unsigned lane) {
    if (as_warp(known).lanes[lane] > time) lanes &= ~bit(lane);
  });
  return lanes;
}

bool VectorClock::mentions(BlockNumber block) const { return find(block) != nullptr; }

BlockNumber VectorClock::next_mentioned(BlockNumber from) const {
  if (empty() || height_of(from) > height_) return no_block;
  return next_below(static_cast<const Inner&>(*root_), height_, 0, from);
}

void JoinedClocks::add(VectorClock& to, const VectorClock& what) {
  if (what.empty() || to.is(what)) return;
  if (to.empty()) {
    to = what;
    return;
  }
  const auto hash = [](const VectorClock& clock) {
    return reinterpret_cast<std::uintptr_t>(clock.root_.get());
  };
  constexpr std::uintptr_t odd = 0x9e3779b97f4a7c15;
  Result& result = results_[((hash(to) * odd) ^ hash(what)) * odd >> 58];
  if (!to.is(result.before) || !what.is(result.what)) {
    result = {to, what, to};
    result.after.join(what);
  }
  to = result.after;
}

}  // namespace foldproof
