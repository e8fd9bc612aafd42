// Judges a sum of elements that are not at hand.
#pragma once

#include <memory>

#include "oracles/dyadic.h"
#include "oracles/judge.h"
#include "oracles/specials.h"
#include "oracles/tally.h"

namespace foldproof {

class TalliedSumJudge : public FoldJudge {
 public:
  /// As `partials`, of outputs that somebody else has added up without rounding.
  virtual Judgement sum_of_partials(const Dyadic& finite, const Specials& specials) const = 0;
};

/// A judge of a floating-point sum whose elements somebody else has added up without rounding. Of the tally,
/// `nonzero`, `highest_place` and `widest` may be larger, and `lowest_place` smaller than they are: then the
/// bound may be as well. The arithmetic has passed not_judged().
std::unique_ptr<TalliedSumJudge> make_sum_judge(const Arithmetic& arithmetic, const Tally& tally);

}  // namespace foldproof
