// The tree in which a kernel combined the elements of its input, reconstructed from the expressions of one
// run.
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
    std::uint32_t left = none, right = none;  ///< vertex indices; none for a leaf
    std::uint32_t element = none;             ///< of the input; none if a leaf is computed from several
    double factor = 1;  ///< for a leaf in a sum: the constant by which its element is multiplied
    std::uint32_t leaves = 1;
    std::uint32_t height = 0;  ///< combinations on the longest path down
    bool fused = false;        ///< a product was added with one rounding for both
    bool is_leaf() const { return left == none; }
  };

  /// The tree of one result, or a sentence if there is none: a value is used twice, as in compensated sums,
  /// or the result depends on no element of the input. Constants (also as factors), conversions and signs are
  /// not vertices.
  static std::variant<SummationTree, std::string> of(const Expressions& expressions, NodeId result,
                                                     Operator op);

  /// Children precede their parents; the root is the last vertex.
  const std::vector<Vertex>& vertices() const { return vertices_; }
  const Vertex& root() const { return vertices_.back(); }

 private:
  std::vector<Vertex> vertices_;
};

/// The tree in words, level by level: "32 in a strided fold", "sequential runs of 4 at a stride of 256, then
/// 256 of those in a strided fold". Named orders:
///   sequential   one at a time onto a running value
///   pairwise     neighbours first: i with i + 1, then pairs with pairs
///   strided      halves onto each other: i with i + half, as with shuffles and sequential addressing
std::string shape_of(const SummationTree& tree);

}  // namespace foldproof
