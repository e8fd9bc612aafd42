// Rounding on the paths from the inputs to the results of one run, from the expressions that it recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "oracles/dyadic.h"
#include "oracles/expressions.h"
#include "oracles/uses.h"

namespace foldproof {

/// Whether computing the node rounds: floating-point arithmetic, and conversions to a format that does not
/// represent every value of the source. Adding a zero that depends on no input does not round, unless
/// subnormals are flushed.
bool rounds(const Expressions& expressions, const Node& node);

/// "additions", "multiplications", "comparisons" or "bitwise operations".
std::string_view combinations_of(Operator op);

struct Combinations {
  /// For each element of the input, the largest number of additions, multiplications, comparisons or bitwise
  /// operations, depending on the operator, on any path to a result, in any format. Operations with a zero or
  /// one that depends on no input do not count, nor do comparisons with any constant. For floating-point sums
  /// this is d_i in the bounds.
  std::vector<std::uint64_t> by_element;
  /// Otherwise some values are opaque, or were chosen for a reason other than a comparison of the two values,
  /// and paths through them are missing.
  bool all_known = true;
};

Combinations combinations(const Expressions& expressions, std::span<const NodeId> results, Operator op);

/// The running bound (B1) on the error of a sum that the results are, or add up to: half an ulp of every
/// intermediate value, times the factor of that value in the sum. It holds for every graph of additions,
/// subtractions, and products and quotients with constants, compensated sums included: the error of a value
/// enters the sum with the same factor as the value itself. Nothing if some value is not finite or has
/// saturated, a factor is unknown or may have been rounded, or the graph contains an opaque value or a
/// choice.
std::optional<Dyadic> running_bound(const Expressions& expressions, std::span<const NodeId> results);
/// The same if the uses of all nodes in the sum are known (uses_of_nodes), and arithmetic must be as precise
/// as in the claimed type of the accumulator: an operation in a less precise type has no larger bound than it
/// would have there. Conversions and operations that compute the results themselves keep theirs, since the
/// output's type may be less precise.
std::optional<Dyadic> running_bound(const Expressions& expressions, std::span<const NodeId> results,
                                    std::span<const Use> uses, Element claimed);

}  // namespace foldproof
