// How each element of an input is used: whether it has any effect, and how often it enters the results.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/expressions.h"
#include "oracles/operator.h"

namespace foldproof {

/// How one value is used.
struct Use {
  /// Some result, or control flow, depends on it.
  bool counts = false;
  bool decides = false;  ///< control flow depends on it
  /// How often it enters the results, in total: its factor in a sum, its exponent in a product, or the number
  /// of comparisons for a minimum or maximum. Counted in real arithmetic, so that terms that a compensated
  /// sum adds and subtracts again cancel. Absent if a path contains an unknown operation.
  std::optional<double> times;
};

/// One per node, including node 0, for results that are reductions of parts by `op`.
std::vector<Use> uses_of_nodes(const Expressions& expressions, std::span<const NodeId> results, Operator op);
/// One per element of the input.
std::vector<Use> uses_of(const Expressions& expressions, std::span<const NodeId> results, Operator op);

}  // namespace foldproof
