// Names the shapes of trees, level by level from the leaves: subtrees of a single order become the units of
// the next level, identified by their first element.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "oracles/summation_tree.h"

namespace foldproof {
namespace {

constexpr std::uint32_t none = SummationTree::none;
/// Larger trees are not named, since each vertex lists the elements below it.
constexpr std::uint32_t max_leaves = 1 << 12;

enum class Order : std::uint8_t { sequential, strided, pairwise };
constexpr std::array<std::string_view, 3> names{"sequential", "strided", "pairwise"};
constexpr std::array orders{Order::sequential, Order::strided, Order::pairwise};

/// A tree over units.
struct Vertex {
  std::uint32_t left = none, right = none;
  std::vector<std::uint32_t> keys;           ///< of the units below, ascending
  std::vector<std::uint32_t> added;          ///< for a sequential vertex: in the order of addition
  std::array<bool, 3> is{true, true, true};  ///< by Order
  bool is_unit() const { return left == none; }
};

std::vector<std::uint32_t> merged(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> all(a.size() + b.size());
  std::ranges::merge(a, b, all.begin());
  return all;
}

/// Whether `first` holds every other key of `all`, starting with the first.
bool holds_every_other(const Vertex& first, const std::vector<std::uint32_t>& all) {
  if (first.keys.size() != (all.size() + 1) / 2) return false;
  for (std::size_t k = 0; k < first.keys.size(); ++k)
    if (first.keys[k] != all[2 * k]) return false;
  return true;
}

/// Whether `first` holds the first keys of `all`: as many as the largest power of two below their number.
bool holds_first_half(const Vertex& first, const std::vector<std::uint32_t>& all) {
  return first.keys.size() == std::bit_ceil(all.size()) / 2 && first.keys.back() < all[first.keys.size()];
}

class Level {
 public:
  explicit Level(const SummationTree& tree) {
    for (const auto& vertex : tree.vertices()) {
      Vertex& own = vertices_.emplace_back();
      own.left = vertex.left, own.right = vertex.right;
      if (vertex.is_leaf()) own.keys = own.added = {vertex.element};
    }
    classify();
  }

  std::size_t units() const { return vertices_.back().keys.size(); }

  /// The order of the whole tree, if it has a single one.
  std::optional<std::string> whole() const {
    const Vertex& root = vertices_.back();
    if (root.keys.size() == 1) return "1";
    for (const Order order : orders)
      if (root.is[static_cast<std::size_t>(order)])
        return order == Order::sequential
                   ? fmt::format("a sequential fold of {}{}", root.keys.size(), stride(root))
                   : fmt::format("a {1} fold of {0}", root.keys.size(),
                                 names[static_cast<std::size_t>(order)]);
    if (is_folded_by_halves()) return fmt::format("a strided fold of {}", root.keys.size());
    return std::nullopt;
  }

  /// Turns groups of one order, as large as possible and covering most units, into units. Returns their
  /// description. Three sequential neighbours also form a pairwise fold, but are not described as one.
  std::optional<std::string> contract() {
    std::optional<Groups> best;
    for (const Order order : {Order::strided, Order::sequential, Order::pairwise})
      if (const Groups groups = groups_of(order);
          groups.are_many(units()) && (!best || groups.largest > best->largest))
        best = groups;
    if (!best) return std::nullopt;
    const std::string text = described(*best);
    make_units(best->top);
    return text;
  }

 private:
  /// The largest subtrees of one order.
  struct Groups {
    Order order;
    std::vector<bool> top;  ///< by vertex
    std::size_t largest = 0, groups = 0, grouped = 0;
    const Vertex* example = nullptr;  ///< one of the largest

    /// At least half of the units are in groups, whose average size is at least half of the largest.
    bool are_many(std::size_t units) const {
      return largest >= 2 && 2 * grouped >= units && 2 * grouped >= largest * groups;
    }
  };

  Groups groups_of(Order order) const {
    Groups found{order, tops(order)};
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      if (!found.top[v]) continue;
      const std::size_t size = vertices_[v].keys.size();
      ++found.groups;
      found.grouped += size;
      if (size > found.largest) found.largest = size, found.example = &vertices_[v];
    }
    return found;
  }

  static std::string described(const Groups& groups) {
    constexpr std::size_t warp = 32;
    if (groups.largest == 2 || groups.order == Order::sequential)
      return fmt::format("sequential folds of {}{}", groups.largest, stride(*groups.example));
    return fmt::format(
        "{1} folds of {0}{2}", groups.largest, names[static_cast<std::size_t>(groups.order)],
        groups.largest == warp && groups.order == Order::strided ? " (as produced by warp shuffles)" : "");
  }

  /// Whether the tree results from repeatedly adding slot i + half to slot i, where half is half the number
  /// of remaining slots, rounded up: as in kernels that support any block size.
  bool is_folded_by_halves() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // one number per distinct sum
    const auto sum = [&](std::uint32_t a, std::uint32_t b) {
      const auto next = static_cast<std::uint32_t>(known.size());
      const std::pair<std::uint32_t, std::uint32_t> both(std::min(a, b), std::max(a, b));
      return ~known.try_emplace(both, next).first->second;  // disjoint from the keys
    };
    std::vector<std::uint32_t> own(vertices_.size());
    for (std::size_t v = 0; v < vertices_.size(); ++v)
      own[v] = vertices_[v].is_unit() ? vertices_[v].keys[0]
                                      : sum(own[vertices_[v].left], own[vertices_[v].right]);
    std::vector<std::uint32_t> slots = vertices_.back().keys;
    while (slots.size() > 1) {
      const std::size_t half = (slots.size() + 1) / 2;
      for (std::size_t i = 0; i + half < slots.size(); ++i) slots[i] = sum(slots[i], slots[i + half]);
      slots.resize(half);
    }
    return slots[0] == own.back();
  }

  void classify() {
    for (Vertex& v : vertices_) {
      if (v.is_unit()) continue;
      const Vertex *a = &vertices_[v.left], *b = &vertices_[v.right];
      v.keys = merged(a->keys, b->keys);
      if (a->keys.front() != v.keys.front()) std::swap(a, b);
      const auto both = [&](Order order) {
        return a->is[static_cast<std::size_t>(order)] && b->is[static_cast<std::size_t>(order)];
      };
      const Vertex& longer = a->is_unit() ? *b : *a;
      const Vertex& one = a->is_unit() ? *a : *b;
      v.is = {one.is_unit() && longer.is[0], both(Order::strided) && holds_every_other(*a, v.keys),
              both(Order::pairwise) && holds_first_half(*a, v.keys)};
      v.added.clear();
      if (!v.is[0]) continue;
      v.added = a->is_unit() && b->is_unit() ? a->added : longer.added;
      v.added.push_back(a->is_unit() && b->is_unit() ? b->keys[0] : one.keys[0]);
    }
  }

  /// Vertices of the order whose parents are not of that order.
  std::vector<bool> tops(Order order) const {
    const auto is = [&](const Vertex& v) { return !v.is_unit() && v.is[static_cast<std::size_t>(order)]; };
    std::vector<bool> top(vertices_.size());
    for (std::size_t v = 0; v < vertices_.size(); ++v) top[v] = is(vertices_[v]);
    for (const Vertex& v : vertices_)
      if (is(v)) top[v.left] = top[v.right] = false;
    return top;
  }

  void make_units(const std::vector<bool>& top) {
    std::vector<bool> inside(vertices_.size());
    std::vector<std::uint32_t> place(vertices_.size(), none);
    for (std::size_t v = vertices_.size(); v-- > 0;)
      if ((top[v] || inside[v]) && !vertices_[v].is_unit())
        inside[vertices_[v].left] = inside[vertices_[v].right] = true;
    std::vector<Vertex> kept;
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      if (inside[v]) continue;
      Vertex next;
      if (top[v] || vertices_[v].is_unit())
        next.keys = next.added = {vertices_[v].keys.front()};
      else
        next.left = place[vertices_[v].left], next.right = place[vertices_[v].right];
      place[v] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(next));
    }
    vertices_ = std::move(kept);
    classify();
  }

  /// For a sequential vertex: the distance between consecutive elements.
  static std::string stride(const Vertex& v) {
    const auto& added = v.added;
    if (added.size() < 2 || added[1] < added[0]) return " (not in input order)";
    const std::uint32_t first = added[1] - added[0];
    for (std::size_t k = 1; k < added.size(); ++k) {
      if (added[k] < added[k - 1]) return " (not in input order)";
      if (added[k] - added[k - 1] != first) return " (in input order)";
    }
    return first == 1 ? " (contiguous)" : fmt::format(" (stride {})", first);
  }

  std::vector<Vertex> vertices_;
};

bool has_unknown_leaf(const SummationTree& tree) {
  return std::ranges::any_of(tree.vertices(), [](const auto& v) { return v.is_leaf() && v.element == none; });
}

}  // namespace

std::string shape_of(const SummationTree& tree) {
  const std::string fused = tree.root().fused ? "fused, " : "";
  if (tree.root().leaves > max_leaves) return "too large to describe";
  if (has_unknown_leaf(tree)) return fused + "with leaves that combine several elements each";
  Level level(tree);
  std::string text = fused;
  for (;;) {
    if (const auto whole = level.whole()) return text + *whole;
    const auto groups = level.contract();
    if (!groups) return text + fmt::format("{} combined in an unknown order", level.units());
    text += *groups + "; then ";
  }
}

}  // namespace foldproof
