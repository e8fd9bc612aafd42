// Arithmetic small enough for exhaustive tests: floating-point numbers with few bits, and all binary trees.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "oracles/dyadic.h"

namespace foldproof {

/// A format with `precision` bits and no largest value. Numbers are integers in units of 2^-places * eta, so
/// that products finer than the smallest subnormal can be represented before rounding.
struct Toy {
  enum class Rule : std::uint8_t { to_even, away_from_zero, toward_zero, up };

  int precision = 3;
  int places = 0;
  Rule rule = Rule::to_even;
  bool flush = false;        ///< subnormal results become zero
  bool flush_terms = false;  ///< subnormal terms do, too

  FloatFormat format() const { return {precision, 0, 40, (std::uint64_t{1} << precision) - 1, true, true}; }
  std::int64_t smallest_normal() const { return std::int64_t{1} << (precision - 1 + places); }

  std::int64_t rounded(std::int64_t x) const {
    const auto magnitude = static_cast<std::uint64_t>(std::llabs(x));
    const int cut = std::max(places, static_cast<int>(std::bit_width(magnitude)) - precision);
    const std::int64_t kept = away(magnitude, cut, x < 0) << cut;
    if (flush && kept < smallest_normal()) return 0;
    return x < 0 ? -kept : kept;
  }

 private:
  std::int64_t away(std::uint64_t magnitude, int cut, bool negative) const {
    const auto kept = static_cast<std::int64_t>(magnitude >> cut);
    const std::uint64_t rest = magnitude - (static_cast<std::uint64_t>(kept) << cut);
    const std::uint64_t half = cut == 0 ? 1 : std::uint64_t{1} << (cut - 1);
    switch (rule) {
      case Rule::to_even: return kept + (rest > half || (cut != 0 && rest == half && kept % 2 != 0) ? 1 : 0);
      case Rule::away_from_zero: return kept + (cut != 0 && rest >= half ? 1 : 0);
      case Rule::toward_zero: return kept;
      case Rule::up: return kept + (rest != 0 && !negative ? 1 : 0);
    }
    return kept;
  }
};

/// A binary tree over n leaves: step k joins two nodes into node n + k. Nodes 0 to n - 1 are the leaves.
struct ToyTree {
  std::vector<std::pair<std::size_t, std::size_t>> joins;
  std::vector<std::size_t> depths;  ///< of the leaves
  std::size_t height = 0;
};

/// All trees over n labelled leaves, (2n - 3)!! of them: every shape with every assignment.
inline std::vector<ToyTree> all_trees(std::size_t n) {
  std::vector<ToyTree> trees;
  ToyTree tree;
  tree.depths.assign(n, 0);
  using ToyNode = std::size_t;
  std::function<void(std::vector<ToyNode>, const std::function<void(ToyNode)>&)> split =
      [&](std::vector<ToyNode> leaves, const std::function<void(ToyNode)>& done) {
        if (leaves.size() == 1) return done(leaves.front());
        for (const ToyNode leaf : leaves) ++tree.depths[leaf];
        // The first leaf is always on the left, and not all others are: each partition occurs once.
        for (std::size_t mask = 0; mask + 1 < std::size_t{1} << (leaves.size() - 1); ++mask) {
          std::vector<ToyNode> left{leaves.front()}, right;
          for (std::size_t i = 1; i < leaves.size(); ++i)
            ((mask >> (i - 1)) % 2 != 0 ? left : right).push_back(leaves[i]);
          split(left, [&](ToyNode a) {
            split(right, [&](ToyNode b) {
              tree.joins.emplace_back(a, b);
              done(n + tree.joins.size() - 1);
              tree.joins.pop_back();
            });
          });
        }
        for (const ToyNode leaf : leaves) --tree.depths[leaf];
      };
  std::vector<ToyNode> leaves(n);
  for (ToyNode i = 0; i < n; ++i) leaves[i] = i;
  split(leaves, [&](ToyNode) {
    ToyTree whole = tree;
    whole.height = *std::max_element(whole.depths.begin(), whole.depths.end());
    trees.push_back(whole);
  });
  return trees;
}

/// Calls f for every multiset of n of the values.
template <class F>
void each_multiset(const std::vector<std::int64_t>& values, std::size_t n, F f) {
  std::vector<std::size_t> at(n, 0);
  std::vector<std::int64_t> chosen(n, values.front());
  for (;;) {
    f(chosen);
    std::size_t k = n;
    while (k > 0 && at[k - 1] + 1 == values.size()) --k;
    if (k == 0) return;
    const std::size_t next = at[k - 1] + 1;
    for (std::size_t i = k - 1; i < n; ++i) at[i] = next, chosen[i] = values[next];
  }
}

/// All values with up to `precision` bits and the given number of binades above the subnormals, of both
/// signs, and zero.
inline std::vector<std::int64_t> toy_values(int precision, int binades) {
  std::vector<std::int64_t> values{0};
  for (std::int64_t k = 1; k < std::int64_t{1} << precision; ++k) values.push_back(k);
  for (int e = 1; e <= binades; ++e)
    for (std::int64_t k = std::int64_t{1} << (precision - 1); k < std::int64_t{1} << precision; ++k)
      values.push_back(k << e);
  for (std::size_t i = values.size(); i-- > 1;) values.push_back(-values[i]);
  return values;
}

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace foldproof
