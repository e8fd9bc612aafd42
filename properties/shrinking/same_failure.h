// When two runs fail in the same way, and whether a case does so each time.
#pragma once

#include <optional>
#include <vector>

#include "properties/execution/evaluation.h"

namespace foldproof {

/// Whether they are one kind, or kinds of wrong values both: lost elements show as wrong values on some
/// inputs and outside the bound on others.
bool same_family(Kind a, Kind b);

/// Whether they are about the same fault: the same place, and kinds of one family.
bool is_like(const Finding& a, const Finding& b);

/// The same fault, shown at least as badly; null where there is none.
const Finding* find_like(const std::vector<Finding>& findings, const Finding& like);

/// Runs the very same job again, twice. Nothing where it shows the finding each time; else a finding
/// `not-reproducible` at its place that tells what the first run and the differing one came to.
std::optional<Finding> not_reproduced(const Evaluator& evaluator, const Instance& instance, const Case& c,
                                      const Evaluation& first, const Finding& finding);

}  // namespace foldproof
