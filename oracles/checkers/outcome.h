// What a floating-point reduction returned, and the check results that all floating-point checkers share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "oracles/bounds.h"
#include "oracles/checker.h"
#include "oracles/dyadic.h"
#include "oracles/number.h"
#include "oracles/references/reference.h"

namespace foldproof {

/// One output, or several folded exactly.
struct Outcome {
  Number::Category category = Number::Category::finite;
  bool negative = false;  ///< of an infinity
  Dyadic value;           ///< where finite
  bool single = true;     ///< one element: it was rounded once more than the exact fold of several
  std::string text;

  bool is_finite() const { return category == Number::Category::finite; }
};

Outcome outcome_of(Element output, std::uint64_t bits);
/// The exact sum of the outputs, with NaN and infinities as IEEE 754 adds them.
Outcome summed(Element output, std::span<const std::byte> outputs);
/// The same where the finite ones have been added up.
Outcome summed(const Dyadic& finite, const Specials& specials);

/// Whether what is too large for a format on the way may become NaN for want of infinities.
bool overflows_to_nan(const Arithmetic& arithmetic);

/// A check result of the category: `ok` or "the result is … although …".
CheckResult checked_by_category(bool ok, const Outcome& outcome, std::string_view although);

/// A check result of a finite outcome against the exact result. `bound` is all that rounding may do to it.
CheckResult checked_by_bound(const Outcome& outcome, const Dyadic& exact, const Dyadic& bound, Element output,
                             std::string_view what);

/// A check result of a finite outcome that the inputs force to be exactly `expected`.
CheckResult checked_exactly(const Outcome& outcome, const Dyadic& expected, Element output,
                            std::string_view what);

/// A check result against a result that need not be a dyadic number. `bound` is what rounding may do before
/// the output is written; where it is none, anything goes.
CheckResult checked_by_reference(const Outcome& outcome, const Reference& exact, const Bound& bound,
                                 const Arithmetic& arithmetic, std::string_view what);

/// The same against a finite result of which an enclosure is known.
CheckResult checked_by_enclosure(const Outcome& outcome, const Enclosure& exact, const Bound& bound,
                                 const Arithmetic& arithmetic, std::string_view what);

/// A result about which nothing can be said, which is not an error; `why`: a clause.
CheckResult anything_goes(std::string why);

}  // namespace foldproof
