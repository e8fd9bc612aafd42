// Checkers of sums that know the order of a run, or that have only a tally of the elements.
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
  /// Like `partials`, for outputs that the caller has added up without rounding.
  virtual CheckResult sum_of_partials(const Dyadic& finite, const Specials& specials) const = 0;
};

/// A checker of a floating-point sum whose elements the caller has added up without rounding. The tally's
/// `nonzero`, `highest_place` and `widest` may be too large, and `lowest_place` too small: the bound may then
/// be larger too. The arithmetic must be accepted by why_no_checker().
std::unique_ptr<TalliedSumChecker> make_sum_checker(const Arithmetic& arithmetic, const Tally& tally);

/// Checks results that are the sum of `input`, or parts of it, against the running bound of their
/// expressions. Nothing if this is not a floating-point sum, some value is not finite, or not every element
/// is in the results exactly once: then no order of summation explains them. `outputs` are the results'
/// bytes.
std::optional<CheckResult> checked_by_tree(const Arithmetic& arithmetic, const Expressions& expressions,
                                           std::span<const NodeId> results,
                                           std::span<const std::byte> outputs,
                                           std::span<const std::byte> input);

}  // namespace foldproof
