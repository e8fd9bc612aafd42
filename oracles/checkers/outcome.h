// The outcome of a floating-point reduction, and the check results that all floating-point checkers share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "oracles/bounds.h"
#include "oracles/checker.h"
#include "oracles/dyadic.h"
#include "oracles/number.h"
#include "oracles/references/reference.h"
#include "oracles/tally.h"

namespace foldproof {

/// One output, or several outputs folded exactly.
struct Outcome {
  Number::Category category = Number::Category::finite;
  bool negative = false;  ///< sign of an infinity
  Dyadic value;           ///< if finite
  bool single = true;     ///< one element, rounded once more than the exact fold of several
  std::string text;

  bool is_finite() const { return category == Number::Category::finite; }
};

Outcome outcome_of(Element output, std::uint64_t bits);
/// The exact sum of the outputs; NaN and infinities as in IEEE 754 addition.
Outcome summed(Element output, std::span<const std::byte> outputs);
/// The same for finite outputs that have already been added up.
Outcome summed(const Dyadic& finite, const Specials& specials);

/// Whether an overflow in an intermediate result may become NaN because a format has no infinity.
bool overflows_to_nan(const Arithmetic& arithmetic);

/// Checks the category: `ok`, or the sentence "the result is … although …".
CheckResult checked_by_category(bool ok, const Outcome& outcome, std::string_view although);

/// Checks a finite outcome against the exact result. `bound` covers all rounding.
CheckResult checked_by_bound(const Outcome& outcome, const Dyadic& exact, const Dyadic& bound, Element output,
                             std::string_view what);

/// Checks a finite outcome that must equal `expected`; `why`: a clause.
CheckResult checked_exactly(const Outcome& outcome, const Dyadic& expected, Element output,
                            std::string_view what,
                            std::string_view why = "no rounding can occur for these inputs");

/// Checks against a result that need not be dyadic. `bound` covers the rounding before the output is written;
/// without a bound, any outcome is accepted.
CheckResult checked_by_reference(const Outcome& outcome, const Reference& exact, const Bound& bound,
                                 const Arithmetic& arithmetic, std::string_view what);

/// The same against a finite result given by an enclosure.
CheckResult checked_by_enclosure(const Outcome& outcome, const Enclosure& exact, const Bound& bound,
                                 const Arithmetic& arithmetic, std::string_view what);

/// Checks partial results that are rounded to an output narrower than the accumulator, at most one for each
/// nonzero term. `bound`: on the error of their sum before that.
CheckResult checked_converted_parts(const Outcome& outcome, const Tally& terms, const Dyadic& bound,
                                    const Arithmetic& arithmetic, std::string_view what);

/// What a conversion of the number to the output may give: the nearest code and, in an 8-bit floating-point
/// format, to which CUDA's conversions saturate, the nearest finite one.
std::array<std::uint64_t, 2> conversions(const Number& number, Element output);

/// Whether the outcome is the largest number of that sign in an 8-bit format, to which CUDA's conversions to
/// these formats saturate. It represents everything beyond it.
bool is_saturated(const Outcome& outcome, Element output, bool negative);

/// Whether the outcome is the infinity of that sign, or what a conversion to the output makes of it.
bool is_infinity(const Outcome& outcome, Element output, bool negative);

/// An outcome that cannot be checked, which is not an error; `why`: a clause.
CheckResult anything_goes(std::string why);

}  // namespace foldproof
