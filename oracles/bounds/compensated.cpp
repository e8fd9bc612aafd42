#include "oracles/bounds/compensated.h"

#include <fmt/format.h>

#include "oracles/bounds.h"
#include "oracles/dyadic.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {
namespace {

constexpr unsigned quotient_bits = 128;

}  // namespace

Bound compensated_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude) {
  if (terms < 2) return Dyadic{};
  const Dyadic u = unit_roundoff(precision);
  return u * abs(sum) + (whole(1) + u) * (whole(terms - 1) * whole(terms - 2)) * u * u * magnitude;
}

Bound kahan_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude) {
  if (terms < 2) return Dyadic{};
  const Dyadic one = whole(1), u = unit_roundoff(precision), up = one + u;
  const Dyadic main = (terms - 1) * u * up;         // sum over |y|: the errors of t = s + y, in units of A
  const Dyadic corrections = up * up * (main + u);  // upper bound on the sum over |c|, in the same units
  if (corrections >= one)
    return Bound::none(fmt::format(
        "the bound for Kahan's loop requires n u (1 + u)^3 < 1: {} terms are too many for {} bits", terms,
        precision));
  const Dyadic numerator = up * u * (one + up * up + (one + up) * main) * magnitude;
  return u * abs(sum) + quotient(numerator, one - corrections, quotient_bits).high;
}

Bound joined_kahan_bound(std::uint64_t terms, std::uint64_t loops, int precision, const Dyadic& sum,
                         const Dyadic& magnitude) {
  const Bound loop = kahan_bound(terms, precision, sum, magnitude);
  if (!loop || terms < 2) return loop;
  const Dyadic one = whole(1), u = unit_roundoff(precision), up = one + u;
  const Dyadic main = (terms - 1) * u * up, corrections = up * up * (main + u);
  // All in units of A: the error of the corrected sums, the magnitudes added to them, and their corrections.
  const Dyadic numerator = u * (one + up * up + (one + up) * main);
  const Dyadic error = quotient(numerator, one - corrections, quotient_bits).high;
  const Dyadic added = quotient(up, one - corrections, quotient_bits).high;
  const Dyadic last = up * up * u;
  const Dyadic carried = quotient(last * (one + error + added), one - last, quotient_bits).high;
  const Dyadic beside = whole(2 * loops) * u * (whole(loops - 1) * u * (one + error + carried) + carried);
  return *loop + up * beside * magnitude;
}

Bound double_float_bound(std::uint64_t terms, int precision, const Dyadic& sum, const Dyadic& magnitude) {
  if (precision < 3)
    return Bound::none("the bound for double-float sums requires at least three bits of precision");
  if (terms < 2) return Dyadic{};
  const Dyadic one = whole(1), u = unit_roundoff(precision);
  const Dyadic each = quotient(3 * u * u, one - 4 * u, quotient_bits).high;
  const Dyadic all = (terms - 1) * each;
  if (all >= one)
    return Bound::none(
        fmt::format("{} terms are too many for the double-float bound with {} bits", terms, precision));
  // (1 + e)^m - 1 <= m e / (1 - m e)
  return u * abs(sum) + (one + u) * quotient(all, one - all, quotient_bits).high * magnitude;
}

}  // namespace foldproof
