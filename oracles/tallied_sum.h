// Judges a sum of elements that are not at hand.
#pragma once

#include <memory>

#include "oracles/judge.h"
#include "oracles/tally.h"

namespace foldproof {

/// A judge of a floating-point sum whose elements somebody else has added up without rounding. Of the tally,
/// `nonzero`, `highest_place` and `widest` may be larger, and `lowest_place` smaller than they are: then the
/// bound may be as well. The arithmetic has passed not_judged().
std::unique_ptr<FoldJudge> make_sum_judge(const Arithmetic& arithmetic, const Tally& tally);

}  // namespace foldproof
