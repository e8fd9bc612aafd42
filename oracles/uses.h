// What becomes of each element of an input: whether it counts at all, and how often.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/expressions.h"
#include "oracles/operator.h"

namespace foldproof {

/// What becomes of one value.
struct Use {
  /// Some result depends on it, or what the program did.
  bool counts = false;
  bool decides = false;  ///< what the program did depends on it
  /// How often it is in the results, together: its factor in a sum, its exponent in a product, in how many
  /// places it is compared for a minimum or maximum. As real arithmetic has it, so that what a compensated
  /// sum adds and takes away again is not counted. Nothing where something lies between about which nothing
  /// is known.
  std::optional<double> times;
};

/// One a node, node 0 included, of results that are reductions of parts by `op`.
std::vector<Use> uses_of_nodes(const Expressions& expressions, std::span<const NodeId> results, Operator op);
/// One an element of the input.
std::vector<Use> uses_of(const Expressions& expressions, std::span<const NodeId> results, Operator op);

}  // namespace foldproof
