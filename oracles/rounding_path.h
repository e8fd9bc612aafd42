// What rounding does on the way from the inputs to the results of one run, by the expressions that it made.
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

/// Whether making the node rounds: floating-point arithmetic, and conversions to a format that does not hold
/// every value of the other. Adding a zero that depends on no input does not, unless subnormals are flushed.
bool rounds(const Expressions& expressions, const Node& node);

/// "additions", "multiplications" or "comparisons".
std::string_view combinations_of(Operator op);

/// For each element of the input the most additions, multiplications or comparisons, by the operator, on one
/// way to a result, in any format; with a zero or one that depends on no input there is none, and no
/// comparison with any constant. Of floating-point sums, d_i in the bounds.
std::vector<std::uint64_t> combinations(const Expressions& expressions, std::span<const NodeId> results,
                                        Operator op);

/// The running bound (B1) on the error of a sum that the results are, or add up to: half an ulp of every
/// value on the way, as often as the value is in the sum. It holds for every graph of additions,
/// subtractions, products and quotients with constants, compensated sums included: the error of a value goes
/// into the sum with the same factor as the value itself. Nothing where some value is not finite, a factor is
/// not known or is no power of two, or something lies between about which nothing is known.
std::optional<Dyadic> running_bound(const Expressions& expressions, std::span<const NodeId> results);
/// The same where the uses of all nodes in the sum are known (uses_of_nodes).
std::optional<Dyadic> running_bound(const Expressions& expressions, std::span<const Use> uses);

}  // namespace foldproof
