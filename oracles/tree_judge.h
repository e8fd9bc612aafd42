// Judges a sum by the order in which a run combined it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "oracles/expressions.h"
#include "oracles/judge.h"

namespace foldproof {

/// Judges results that are parts of the sum of `input`, or the whole of it, against the running bound of the
/// expressions that they are. Nothing where it is no floating-point sum, some value is not finite, or not
/// every element is in the results once: then no order of summation explains them. `outputs` are the results'
/// bytes.
std::optional<Judgement> judged_by_tree(const Arithmetic& arithmetic, const Expressions& expressions,
                                        std::span<const NodeId> results, std::span<const std::byte> outputs,
                                        std::span<const std::byte> input);

}  // namespace foldproof
