// When two runs fail in the same way, whether a case fails every time, and the reduction of a failing case to
// a small, readable one that fails in the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "oracles/layout.h"
#include "properties/case.h"
#include "properties/execution/evaluation.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// Whether both are of one kind, or of the kinds of wrong values: lost elements show as wrong values on some
/// inputs and outside the bound on others.
bool same_family(Kind a, Kind b);

/// Whether both are the same fault: the same place, and kinds of one family. A wrong NaN or infinity is
/// another fault than a wrong number.
bool is_like(const Finding& a, const Finding& b);

/// Whether `other` is the same fault with at least the same severity.
bool stands_for(const Finding& other, const Finding& finding);

/// Runs the same job again, twice (once for a timeout). Nothing if it shows the finding each time; otherwise
/// a finding `not-reproducible` at its place that describes the first run and the differing one.
std::optional<Finding> not_reproduced(const Evaluator& evaluator, const Instance& instance, const Case& c,
                                      const Evaluation& first, const Finding& finding);

/// The budget of shrinking. Counted, not timed, so that the same failure always ends in the same case.
struct ShrinkBudget {
  std::uint64_t runs = 400;
  std::uint64_t cost = 10'000'000;  ///< in warp instructions: 0.2 to 2 microseconds each
};

/// Whether a case still fails in the same way; adds its cost to `cost`.
using StillFails = std::function<bool(const Case& c, std::uint64_t& cost)>;

/// The elements of a case's input as bits.
using InputBits = std::function<std::vector<std::uint64_t>(const Case& c)>;

/// Shrinks the description first (relation, transforms, calls, order, offset, variables, distribution, seed),
/// along RapidCheck's shrink trees; then the elements: those that are not needed become zero, the rest become
/// one if possible.
/// `wrong`: the row or column from which the first wrong result is computed; if that part alone fails, only
/// it is shrunk.
Case shrink(const Case& failing, const Domain& domain, const Instance& instance, const StillFails& fails,
            const InputBits& input, const std::optional<Part>& wrong = {}, ShrinkBudget budget = {});

}  // namespace foldproof
