// No tree of additions or multiplications violates the bound of a dot product or a product: all trees over
// values of formats with very few bits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "catch.h"
#include "oracles/bounds.h"
#include "toy.h"
#include "toy_bounds.h"

namespace foldproof::toys {
namespace {

/// Every way to compute a sum of products: leaves are exact products, in units of 2^-places eta.
class Dots {
 public:
  Dots(const Toy& toy, bool fused) : toy_(toy), fused_(fused) {}

  void take(const ToyTree& tree, const Values& products) {
    std::int64_t exact = 0, magnitude = 0;
    std::uint64_t terms = 0, inexact = 0;
    nodes_.clear();
    for (const std::int64_t x : products) {
      exact += x, magnitude += std::llabs(x), terms += x != 0 ? 1 : 0;
      inexact += x % (std::int64_t{1} << toy_.places) != 0 ? 1 : 0;
      nodes_.push_back(fused_ ? x : toy_.rounded(x));
    }
    // Fused: a product added to a sum is not rounded first; of two products, one is.
    const auto operand = [&](std::size_t node) {
      return node < products.size() ? toy_.rounded(nodes_[node]) : nodes_[node];
    };
    for (const auto& [a, b] : tree.joins)
      nodes_.push_back(toy_.rounded(b < products.size() ? operand(a) + nodes_[b] : nodes_[a] + operand(b)));
    if (products.size() == 1) nodes_.back() = toy_.rounded(nodes_.back());
    sharpness.take(std::llabs(nodes_.back() - exact), bound(terms, inexact, magnitude), toy_.places);
  }

  Sharpness sharpness{"any order"};

 private:
  std::int64_t bound(std::uint64_t terms, std::uint64_t inexact, std::int64_t magnitude) {
    std::int64_t& known =
        bounds_[{static_cast<std::int64_t>(terms), static_cast<std::int64_t>(inexact), magnitude}];
    if (known == 0 && magnitude != 0)
      known = scaled(
          toy_.flush ? dot_bound_with_flush(terms, toy_.format(), dyadic(magnitude, toy_.places), {})
                     : dot_bound_any_order(terms, inexact, toy_.format(), dyadic(magnitude, toy_.places)));
    return known;
  }

  Toy toy_;
  bool fused_;
  Values nodes_;
  std::map<std::array<std::int64_t, 3>, std::int64_t> bounds_;
};

/// All products of two values, each once.
Values products_of(const Values& values) {
  Values products;
  for (const std::int64_t a : values)
    for (const std::int64_t b : values) products.push_back(a * b);
  std::sort(products.begin(), products.end());
  products.erase(std::unique(products.begin(), products.end()), products.end());
  return products;
}

TEST_CASE("no dot product violates its bound in any tree, fused or not, with and without underflow") {
  for (const bool fused : {false, true})
    for (const bool flush : {false, true})
      for (const int precision : {2, 3})
        for (const int places : {0, 2, 4}) {
          Dots dots({precision, places, Toy::Rule::to_even, flush}, fused);
          const Values products = products_of(toy_values(precision, 1));
          for (std::size_t leaves = 1; leaves <= (precision == 2 ? 4U : 3U); ++leaves)
            each_run(leaves, products,
                     [&](const ToyTree& tree, const Values& values) { dots.take(tree, values); });
          dots.sharpness.report(fmt::format("{} bits, {}{}, products of 2^-{} eta", precision,
                                            fused ? "fused" : "separate", flush ? ", flushed" : "", places),
                                0.2);
        }
}

TEST_CASE("no product violates its bound in any tree") {
  for (const int precision : {2, 3, 4}) {
    const Toy toy{precision, 0};
    Values significands;
    for (std::int64_t k = std::int64_t{1} << (precision - 1); k < std::int64_t{1} << precision; ++k)
      significands.push_back(k);
    Sharpness sharpness{"product"};
    Values nodes;
    for (std::size_t leaves = 2; leaves <= 5; ++leaves)
      each_run(leaves, significands, [&](const ToyTree& tree, const Values& values) {
        nodes = values;
        std::int64_t exact = 1;
        std::uint64_t factors = 0;
        for (const std::int64_t x : values)
          exact *= x, factors += std::has_single_bit(std::uint64_t(x)) ? 0 : 1;
        for (const auto& [a, b] : tree.joins) nodes.push_back(toy.rounded(nodes[a] * nodes[b]));
        // In units of a value's last place, the whole range is normal.
        const Bound bound =
            product_bound_any_order(factors, {precision * 5, precision - 1}, toy.format(), dyadic(exact));
        sharpness.take(std::llabs(nodes.back() - exact), scaled(bound));
      });
    sharpness.report(fmt::format("{} bits, factors of one binade", precision), 0.3);
  }
}

}  // namespace
}  // namespace foldproof::toys
