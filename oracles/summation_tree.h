// The tree in which a kernel combined the elements of its input, read from the expressions of one run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "oracles/expressions.h"
#include "oracles/operator.h"

namespace foldproof {

class SummationTree {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// A leaf, or the combination of two vertices.
  struct Vertex {
    std::uint32_t left = none, right = none;  ///< indices of vertices; none of a leaf
    std::uint32_t element = none;             ///< of the input; none where a leaf is made of several
    double factor = 1;                        ///< of a leaf in a sum: a constant times the element
    std::uint32_t leaves = 1;
    std::uint32_t height = 0;  ///< combinations on the longest way down
    bool fused = false;        ///< a product was added with one rounding for both
    bool is_leaf() const { return left == none; }
  };

  /// The tree of one result; a sentence where there is none: a value is used twice, as compensated sums do,
  /// or nothing of the input is in it. Constants, also as factors, conversions and signs are no vertices.
  static std::variant<SummationTree, std::string> of(const Expressions& expressions, NodeId result,
                                                     Operator op);

  /// Children stand before their parents; the root is the last.
  const std::vector<Vertex>& vertices() const { return vertices_; }
  const Vertex& root() const { return vertices_.back(); }

 private:
  std::vector<Vertex> vertices_;
};

/// The tree in words, level by level: "32 in a strided fold", "sequential runs of 4 at a stride of 256, then
/// 256 of those in a strided fold". Orders that it names:
///   sequential   one after the other onto a running value
///   pairwise     neighbours first: i with i + 1, then pairs with pairs
///   strided      halves onto each other: i with i + half, as shuffles and sequential addressing do
std::string shape_of(const SummationTree& tree);

}  // namespace foldproof
