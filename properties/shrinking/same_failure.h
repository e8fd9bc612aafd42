// When two runs fail in the same way, and whether a case fails every time.
#pragma once

#include <optional>
#include <vector>

#include "properties/execution/evaluation.h"

namespace foldproof {

/// Whether both are of one kind, or of the kinds of wrong values: lost elements show as wrong values on some
/// inputs and outside the bound on others.
bool same_family(Kind a, Kind b);

/// Whether both are the same fault: the same place, and kinds of one family.
bool is_like(const Finding& a, const Finding& b);

/// The same fault, with at least the same severity; null if there is none.
const Finding* find_like(const std::vector<Finding>& findings, const Finding& like);

/// Runs the same job again, twice (once for a timeout). Nothing if it shows the finding each time; otherwise
/// a finding `not-reproducible` at its place that describes the first run and the differing one.
std::optional<Finding> not_reproduced(const Evaluator& evaluator, const Instance& instance, const Case& c,
                                      const Evaluation& first, const Finding& finding);

}  // namespace foldproof
