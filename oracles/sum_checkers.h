// Checkers of sums that know more than the elements, or less: the order of a run, or only a tally.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "oracles/checker.h"
#include "oracles/dyadic.h"
#include "oracles/expressions.h"
#include "oracles/number.h"
#include "oracles/tally.h"

namespace foldproof {

class TalliedSumChecker : public FoldChecker {
 public:
  /// As `partials`, of outputs that somebody else has added up without rounding.
  virtual CheckResult sum_of_partials(const Dyadic& finite, const Specials& specials) const = 0;
};

/// A checker of a floating-point sum whose elements somebody else has added up without rounding. Of the
/// tally, `nonzero`, `highest_place` and `widest` may be larger, and `lowest_place` smaller than they are:
/// then the bound may be as well. The arithmetic has passed why_no_checker().
std::unique_ptr<TalliedSumChecker> make_sum_checker(const Arithmetic& arithmetic, const Tally& tally);

/// Checks results that are parts of the sum of `input`, or the whole of it, against the running bound of the
/// expressions that they are. Nothing where it is no floating-point sum, some value is not finite, or not
/// every element is in the results once: then no order of summation explains them. `outputs` are the results'
/// bytes.
std::optional<CheckResult> checked_by_tree(const Arithmetic& arithmetic, const Expressions& expressions,
                                           std::span<const NodeId> results,
                                           std::span<const std::byte> outputs,
                                           std::span<const std::byte> input);

}  // namespace foldproof
