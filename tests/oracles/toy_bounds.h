// Compares the errors of toy arithmetic with a bound, for all trees over all values.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "oracles/bounds.h"
#include "toy.h"

namespace foldproof::toys {

using Integer = Dyadic::Integer;
using Values = std::vector<std::int64_t>;

inline constexpr int scale = 40;

inline Dyadic dyadic(std::int64_t x, int places = 0) { return {Integer(x), -places}; }

/// A bound in units of 2^-scale eta, rounded up.
inline std::int64_t scaled(const Bound& bound) {
  REQUIRE(bound);
  return static_cast<std::int64_t>(std::ceil(std::ldexp(upper_double(*bound), scale)));
}

/// The largest errors relative to one bound.
struct Sharpness {
  const char* rule = "";
  double worst = 0;  ///< error / bound
  std::uint64_t tried = 0, violated = 0;

  void take(std::int64_t error, std::int64_t bound, int places = 0) {
    ++tried;
    if (error == 0) return;
    const std::int64_t scaled_error = error << (scale - places);
    violated += scaled_error > bound ? 1 : 0;
    worst = std::max(worst, static_cast<double>(scaled_error) / static_cast<double>(bound));
  }

  /// The largest error must be near the bound for the test to be meaningful.
  void report(const std::string& what, double at_least) const {
    fmt::print("{:<44} {:<13} {:>9} runs, worst error {:.3f} of the bound\n", what, rule, tried, worst);
    INFO(what << ", " << rule);
    CHECK(violated == 0);
    CHECK(worst <= 1);
    CHECK(worst >= at_least);
  }
};

/// The evaluation of a tree: the values of its nodes, leaves first.
struct Run {
  Values nodes;
  std::int64_t exact = 0, magnitude = 0, subnormal = 0;
  std::uint64_t terms = 0;

  std::int64_t error() const { return std::llabs(nodes.back() - exact); }
};

inline void add_up(const Toy& toy, const ToyTree& tree, const Values& leaves, Run& run) {
  run = {std::move(run.nodes), 0, 0, 0, 0};
  run.nodes = leaves;
  for (std::int64_t& leaf : run.nodes) {
    run.exact += leaf;
    run.magnitude += std::llabs(leaf);
    run.terms += leaf != 0 ? 1 : 0;
    if (std::llabs(leaf) < toy.smallest_normal()) run.subnormal += std::llabs(leaf);
    if (toy.flush_terms) leaf = toy.rounded(leaf);
  }
  for (const auto& [a, b] : tree.joins) run.nodes.push_back(toy.rounded(run.nodes[a] + run.nodes[b]));
}

/// Binades above the subnormals: fewer for formats with more values.
inline int binades(int precision) { return precision == 2 ? 3 : 2; }

template <class F>
void each_run(std::size_t leaves, const Values& values, F f) {
  const std::vector<ToyTree> trees = all_trees(leaves);
  each_multiset(values, leaves, [&](const Values& chosen) {
    for (const ToyTree& tree : trees) f(tree, chosen);
  });
}

}  // namespace foldproof::toys
